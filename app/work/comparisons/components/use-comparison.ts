import { useEffect, useRef, useState } from "react";
import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { isStreamChunk, parseEvent, UNREADABLE_ANSWER } from "~/ai/tools/stream-event.shared";
import { withBase } from "~/core/base-path";
import { type AnswerState, emptyAnswer, withAnswer } from "~/work/chat/answer-state.shared";
import { foldChunk } from "~/work/chat/fold-answer.shared";
import { positionOf } from "../columns.shared";
import type { ComparedAnswer, Comparison } from "../comparisons.schema";

/** Maximum delay before a reconnect, in ms. */
const MAX_RECONNECT_DELAY = 10_000;

/**
 * Follows a comparison's answers over one connection for all columns, which the browser reopens and resumes by itself.
 * @param onEnd called after the last answer has ended, or when a lost stream can't be resumed
 */
export function useComparison(comparison: Comparison, onEnd: () => void): readonly ComparedAnswer[] {
  const [read, setRead] = useState({ comparison, answers: comparison.answers });
  const tries = useRef(0);
  const end = useRef(onEnd);
  end.current = onEnd;
  useEffect(() => {
    if (!comparison.answers.some(({ answer }) => answer.status === "streaming")) return;
    let answers: readonly ComparedAnswer[] = comparison.answers;
    let waiting: ColumnEvent[] = [];
    let frame: number | undefined;
    let reconnect: number | undefined;
    // At most one render per frame; a timer covers hidden tabs, which have no frames.
    const show = () => {
      frame = undefined;
      answers = addEvents(answers, waiting);
      waiting = [];
      setRead({ comparison, answers: [...answers] });
    };
    const after = positionOf(comparison.answers.map(({ lastEventId }) => lastEventId));
    const source = new EventSource(withBase(`/api/ai/comparisons/${comparison.id}/stream?after=${after}`));
    source.onmessage = ({ data }: MessageEvent<string>) => {
      tries.current = 0;
      if (data === "[DONE]") {
        source.close();
        show();
        end.current();
        return;
      }
      const event = readColumnEvent(data);
      if (!event) {
        source.close();
        show();
        setRead({ comparison, answers: failOpen(answers) });
        return;
      }
      waiting.push(event);
      frame ??= window.setTimeout(show, 16);
    };
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      // Reconnects at once after an ended stream, then with growing delays.
      reconnect = window.setTimeout(() => end.current(), Math.min(tries.current * 2000, MAX_RECONNECT_DELAY));
      tries.current += 1;
    };
    return () => {
      source.close();
      clearTimeout(frame);
      clearTimeout(reconnect);
    };
  }, [comparison]);
  // Shows new loader data until its events arrive.
  return read.comparison === comparison ? read.answers : comparison.answers;
}

interface ColumnEvent {
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
