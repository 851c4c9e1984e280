import { z } from "zod";
import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import { countMessages, findConversation } from "../chat.repo.server";

export const titleProposal = declareJob({
  kind: "chat.propose-title",
  input: z.object({ conversationId: z.string() }),
  lane: "interactive",
});

/** Messages after which a title is proposed. */
const FIRST_TURN = 2;

/** Plans a title after the first answer, if enabled. */
export function planTitle(tx: Db, actor: Actor, conversationId: string, modelId: string): void {
  if (modelId === OFFLINE_MODEL || !readSetting(actor.orgId, "ai.proposeTitles")) return;
  if (findConversation(tx, actor, conversationId)?.titleSource !== "message") return;
  if (countMessages(tx, conversationId) !== FIRST_TURN) return;
  enqueue(tx, titleProposal, { conversationId }, { actor, subject: `conversation:${conversationId}` });
}
