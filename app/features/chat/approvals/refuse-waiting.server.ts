import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { closeOpenTools } from "../answer-state.shared";
import { updateMessage } from "../chat.repo.server";
import { MessagePart } from "../chat.schema";
import { listWaiting } from "./waiting.repo.server";

/** Tool result of a lapsed call, for the model. */
const NOT_APPROVED = "Not run: it was stopped, or another message was sent, before it was approved.";

const lapse = (part: MessagePart): MessagePart =>
  part.type === "tool" && part.state === "waiting" && part.approval
    ? { ...part, approval: { ...part.approval, decision: "lapsed" } }
    : part;

/** Ends waiting answers; their calls lapse. @returns how many */
export function refuseWaiting(tx: Db, conversationId: string): number {
  const waiting = listWaiting(tx, conversationId);
  for (const row of waiting) {
    const parts = closeOpenTools(MessagePart.array().catch([]).parse(row.parts).map(lapse), NOT_APPROVED);
    updateMessage(tx, row.id, { status: "stopped", parts, finishedAt: now() });
  }
  return waiting.length;
}
