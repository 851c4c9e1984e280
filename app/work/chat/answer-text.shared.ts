import type { AnswerMetrics } from "~/ai/tools/answer-stream.schema";
import type { MessagePart, MessageStatus } from "./chat.schema";

// Separate from the folding of events, which the browser loads only when an answer begins.

/** The content of an answer so far. */
export interface AnswerState {
  parts: MessagePart[];
  status: MessageStatus;
  error: string | null;
  metrics: Partial<AnswerMetrics> | null;
}

export const emptyAnswer = (): AnswerState => ({
  parts: [],
  status: "streaming",
  error: null,
  metrics: null,
});

/** The text of an answer without reasoning and tools, as a client that appends bare text sees it. */
export function textOf(parts: readonly MessagePart[]): string {
  return parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n\n");
}
