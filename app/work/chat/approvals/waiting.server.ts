import { z } from "zod";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { notify } from "~/team/notifications/notify.service.server";
import type { ActiveGeneration } from "../answer/active-generation.server";
import { closeOpenTools, isUndecided } from "../answer-state.shared";
import { type ConversationRow, listWaiting, updateMessage } from "../chat.repo.server";
import { MessagePart } from "../chat.schema";

/** Tool results, for the model: of a lapsed call, and of one that a restart interrupted. */
const INTERRUPTED = "A restart interrupted this call.";
const NOT_APPROVED = "Not run: it was stopped, or another message was sent, before it was approved.";

function endCall(part: MessagePart): MessagePart[] {
  if (part.type !== "tool") return [part];
  const { approval } = part;
  const lapses = part.state === "waiting" && approval && !part.begun;
  const ended: MessagePart = lapses ? { ...part, approval: { ...approval, decision: "lapsed" } } : part;
  return closeOpenTools([ended], part.begun ? INTERRUPTED : NOT_APPROVED);
}

/** Ends waiting answers; their calls lapse. @returns how many */
export function refuseWaiting(tx: Db, conversationId: string): number {
  const waiting = listWaiting(tx, conversationId);
  for (const row of waiting) {
    const parts = MessagePart.array().catch([]).parse(row.parts).flatMap(endCall);
    updateMessage(tx, row.id, { status: "stopped", parts, finishedAt: now() });
  }
  return waiting.length;
}

/** Delay before notifying about what an open page shows, in ms: the page may be unattended or offline. */
export const GRACE = 60_000;

const Reminder = z.object({ conversationId: z.string(), messageId: z.string(), parts: z.int() });

export const waitingReminder = declareJob({
  kind: "chat.remind-waiting",
  input: Reminder,
  lane: "interactive",
});

type Owned = Pick<ConversationRow, "id" | "orgId" | "userId">;

/** Tells a conversation's owner alone that it waits for them. */
export function notifyOwner(
  tx: Db,
  { id, orgId, userId }: Owned,
  notice: { title: string; body: string; dedupeKey: string },
): void {
  notify(tx, {
    event: "approval.waiting",
    organisationId: orgId,
    audience: { permission: "chat.use", userIds: [userId] },
    link: `/chat/${id}`,
    isPrivate: true,
    ...notice,
  });
}

export function sendWaitingNotice(
  tx: Db,
  conversation: Owned,
  messageId: string,
  parts: readonly MessagePart[],
): void {
  const tools = parts.filter(isUndecided).map(({ toolName }) => toolName);
  notifyOwner(tx, conversation, {
    title: "An answer is waiting for your approval",
    body: `Tools: ${[...new Set(tools)].join(", ")}`,
    dedupeKey: `${messageId}:${parts.length}`,
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
  } else sendWaitingNotice(tx, { ...actor, id: conversationId }, messageId, state.parts);
}

/** Sends the notification that `notifyWaiting` delayed, unless the answer has continued. */
export function remindWaiting(
  tx: Db,
  owner: { orgId: string; userId: string },
  { conversationId, messageId, parts }: z.infer<typeof Reminder>,
): void {
  const waiting = listWaiting(tx, conversationId).find(({ id }) => id === messageId);
  if (waiting?.parts.length !== parts) return;
  const current = MessagePart.array().parse(waiting.parts);
  sendWaitingNotice(tx, { ...owner, id: conversationId }, messageId, current);
}
