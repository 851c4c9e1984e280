import type { ToolPart } from "./chat.schema";

/** Tool result of a call that was stopped or replaced before approval. Stored, and read back by its text. */
export const NOT_APPROVED = "Not run: it was stopped, or another message was sent, before it was approved.";

export function wasNotApproved({ state, error }: ToolPart): boolean {
  return state === "failed" && error === NOT_APPROVED;
}
