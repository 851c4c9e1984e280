import { z } from "zod";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { notify } from "~/team/notifications/notify.service.server";
import type { ActiveGeneration } from "../answer/active-generation.server";
import { isUndecided } from "../answer-state.shared";
import { MessagePart } from "../chat.schema";
import { listWaiting } from "./waiting.repo.server";

/** Delay before notifying about an answer that an open page shows (ms): the page may be unattended or offline. */
const GRACE = 60_000;

const Reminder = z.object({ conversationId: z.string(), messageId: z.string(), parts: z.int() });

export const waitingReminder = declareJob({
  kind: "chat.remind-waiting",
  input: Reminder,
  lane: "interactive",
});

type WaitingAnswer = Pick<ActiveGeneration, "conversationId" | "messageId"> & {
  owner: { orgId: string; userId: string };
  parts: readonly MessagePart[];
};

/** Notifies the owner at once. */
export function sendWaitingNotice(tx: Db, { conversationId, messageId, owner, parts }: WaitingAnswer): void {
  const tools = parts.filter(isUndecided).map(({ toolName }) => toolName);
  notify(tx, {
    event: "approval.waiting",
    organisationId: owner.orgId,
    audience: { permission: "chat.use", userIds: [owner.userId] },
    title: "An answer is waiting for your approval",
    body: `Tools: ${[...new Set(tools)].join(", ")}`,
    link: `/chat/${conversationId}`,
    dedupeKey: `${messageId}:${parts.length}`,
    isPrivate: true,
  });
}

/** Notifies the owner of a waiting answer: at once if no page shows it, else if it still waits after a minute. */
export function notifyWaiting(
  tx: Db,
  live: Pick<ActiveGeneration, "actor" | "conversationId" | "messageId" | "isFollowed" | "state">,
): void {
  const { actor, conversationId, messageId, state } = live;
  if (live.isFollowed) {
    const input = { conversationId, messageId, parts: state.parts.length };
    enqueue(tx, waitingReminder, input, { actor, runAt: now() + GRACE });
  } else {
    sendWaitingNotice(tx, { conversationId, messageId, owner: actor, parts: state.parts });
  }
}

/** Sends the notification that `notifyWaiting` delayed, unless the answer has continued. */
export function remindWaiting(
  tx: Db,
  owner: WaitingAnswer["owner"],
  { conversationId, messageId, parts }: z.infer<typeof Reminder>,
): void {
  const waiting = listWaiting(tx, conversationId).find(({ id }) => id === messageId);
  if (waiting?.parts.length !== parts) return;
  sendWaitingNotice(tx, {
    conversationId,
    messageId,
    owner,
    parts: z.array(MessagePart).parse(waiting.parts),
  });
}
