import type { ChatMessage } from "~/work/chat/chat.schema";

/** Stream position: the last event of every column. */
export const positionOf = (lastEventIds: readonly number[]): string => lastEventIds.join(".");

/** Invalid parts mean the beginning. */
export function parsePosition(position: string): number[] {
  return position.split(".").map((part) => (/^\d{1,15}$/.test(part) ? Number(part) : 0));
}

export const COLUMNS = { min: 2, max: 4 } as const;

/** Whether an answer has a text that no longer changes, which others can be held against. */
export const hasFinalText = ({ status, content }: Pick<ChatMessage, "status" | "content">): boolean =>
  status !== "streaming" && status !== "waiting" && content !== "";
