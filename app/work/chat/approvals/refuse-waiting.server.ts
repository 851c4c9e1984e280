import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { closeOpenTools } from "../answer-state.shared";
import { updateMessage } from "../chat.repo.server";
import { MessagePart } from "../chat.schema";
import { listWaiting } from "./waiting.repo.server";

/** Tool results, for the model: of a lapsed call, and of one that a restart interrupted. */
const INTERRUPTED = "A restart interrupted this call.";
const NOT_APPROVED = "Not run: it was stopped, or another message was sent, before it was approved.";

const lapse = (part: MessagePart): MessagePart =>
  part.type === "tool" && part.state === "waiting" && part.approval && !part.begun
    ? { ...part, approval: { ...part.approval, decision: "lapsed" } }
    : part;

const end = (part: MessagePart) =>
  closeOpenTools([part], part.type === "tool" && part.begun ? INTERRUPTED : NOT_APPROVED);

/** Ends waiting answers; their calls lapse. @returns how many */
export function refuseWaiting(tx: Db, conversationId: string): number {
  const waiting = listWaiting(tx, conversationId);
  for (const row of waiting) {
    const parts = MessagePart.array().catch([]).parse(row.parts).map(lapse).flatMap(end);
    updateMessage(tx, row.id, { status: "stopped", parts, finishedAt: now() });
  }
  return waiting.length;
}
