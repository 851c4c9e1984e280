import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { closeOpenTools } from "../answer-state.shared";
import { updateMessage } from "../chat.repo.server";
import { MessagePart } from "../chat.schema";
import { NOT_APPROVED } from "../not-approved.shared";
import { listWaiting } from "./waiting.repo.server";

/** Ends waiting answers and refuses their calls. @returns how many */
export function refuseWaiting(tx: Db, conversationId: string): number {
  const waiting = listWaiting(tx, conversationId);
  for (const row of waiting) {
    const parts = closeOpenTools(MessagePart.array().catch([]).parse(row.parts), NOT_APPROVED);
    updateMessage(tx, row.id, { status: "stopped", parts, finishedAt: now() });
  }
  return waiting.length;
}
