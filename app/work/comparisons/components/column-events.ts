import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { isStreamChunk, parseEvent, UNREADABLE_ANSWER } from "~/ai/tools/stream-event.shared";
import { type AnswerState, emptyAnswer, foldChunk, withAnswer } from "~/work/chat/answer-state.shared";
import type { ComparedAnswer } from "../comparisons.schema";

export interface ColumnEvent {
  column: number;
  chunk: StreamChunk;
}

/** @returns undefined for a malformed event */
export function readColumnEvent(data: string): ColumnEvent | undefined {
  const { column, chunk } = (parseEvent(data) ?? {}) as { column?: unknown; chunk?: unknown };
  return typeof column === "number" && isStreamChunk(chunk) ? { column, chunk } : undefined;
}

export function addEvents(
  answers: readonly ComparedAnswer[],
  events: readonly ColumnEvent[],
): ComparedAnswer[] {
  return answers.map((column, index) => {
    const own = events.filter((event) => event.column === index);
    if (own.length === 0) return column;
    const { parts, status, error, metrics } = column.answer;
    let state: AnswerState = { ...emptyAnswer(), parts, status, error, metrics };
    for (const { chunk } of own) state = foldChunk(state, chunk);
    return { ...column, answer: withAnswer(column.answer, state) };
  });
}

/** Ends the running answers with an error: the rest of their stream is unreadable. */
export function failOpen(answers: readonly ComparedAnswer[]): ComparedAnswer[] {
  return answers.map((column) =>
    column.answer.status === "streaming"
      ? { ...column, answer: { ...column.answer, status: "failed", error: UNREADABLE_ANSWER } }
      : column,
  );
}
