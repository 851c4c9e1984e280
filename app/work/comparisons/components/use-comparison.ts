import { useEffect, useRef, useState } from "react";
import type { ComparedAnswer, Comparison } from "../comparisons.schema";
import { positionOf } from "../position.shared";
import { addEvents, type ColumnEvent, failOpen, readColumnEvent } from "./column-events";

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
    const source = new EventSource(`/api/ai/comparisons/${comparison.id}/stream?after=${after}`);
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
