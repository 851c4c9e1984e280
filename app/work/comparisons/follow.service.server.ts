import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import type { Actor } from "~/core/actor";
import { followAnswer, hasEventsAfter } from "~/work/chat/conversations.service.server";
import { readComparison } from "./comparisons.service.server";
import { parsePosition, positionOf } from "./position.shared";

export interface ColumnEvent {
  /** From 0. */
  column: number;
  chunk: StreamChunk;
  /** The chunk as stored. */
  json: string;
  /** The last event of every column. */
  position: string;
}

/** Whether there are events after a position. */
export function hasMore(actor: Actor, id: string, after: string): boolean {
  const position = parsePosition(after);
  return readComparison(actor, id).answers.some(({ conversationId }, column) =>
    hasEventsAfter(actor, conversationId, position[column] ?? 0),
  );
}

/**
 * Streams all answers of a comparison after a position; `undefined` marks the end, with a message if a restart cut an answer off.
 * @returns a function to unsubscribe, or undefined if nothing follows
 */
export function followComparison(
  actor: Actor,
  id: string,
  after: string,
  listener: (event: ColumnEvent | undefined, interruption?: string) => void,
): (() => void) | undefined {
  const { answers } = readComparison(actor, id);
  const position = parsePosition(after);
  const positions = answers.map((_, column) => position[column] ?? 0);
  let open = answers.length;
  let heard = false;
  let cutOff: string | undefined;
  const closed = (interruption?: string) => {
    open -= 1;
    cutOff ??= interruption;
    if (open === 0 && heard) listener(undefined, cutOff);
  };
  const subscriptions = answers.map(({ conversationId }, column) => {
    const unsubscribe = followAnswer(actor, conversationId, positions[column] ?? 0, (event, interruption) => {
      heard = true;
      if (!event) {
        if (interruption !== undefined) {
          const chunk = { type: "error" as const, errorText: interruption };
          listener({ column, chunk, json: JSON.stringify(chunk), position: positionOf(positions) });
        }
        return closed(interruption);
      }
      positions[column] = event.id;
      listener({ column, chunk: event.chunk, json: event.json, position: positionOf(positions) });
    });
    if (!unsubscribe) closed();
    return unsubscribe;
  });
  if (subscriptions.every((unsubscribe) => unsubscribe === undefined)) return undefined;
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe?.();
  };
}
