import { z } from "zod";
import type { ApprovalReason } from "~/ai/tools/approval-reasons.shared";
import type { CallGuard } from "~/ai/tools/call-tool.service.server";
import {
  approvalReason,
  hasOutsideContent,
  type OfferedTool,
  type PersonaApproval,
} from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { notify } from "~/team/notifications/notify.service.server";
import { areVisibleToAll } from "~/work/documents/documents.service.server";
import { closeOpenTools, isUndecided, MAYBE_EFFECTIVE, sharingRefusal } from "../answer-state.shared";
import { findConversation, listWaiting, updateConversation, updateMessage } from "../chat.repo.server";
import { MessagePart } from "../chat.schema";
import type { ActiveGeneration } from "./active-generation.server";
import type { RequestedCall } from "./model-step.server";
import { documentsIn } from "./prompt.server";

export const REFUSED = "The user refused this call.";

/** Tool result of a call that a restart interrupted and that its owner didn't run again. */
export const NOT_REPEATED = `A restart interrupted this call. ${MAYBE_EFFECTIVE} The user chose not to run it again.`;

/** Reasons by waiting call. Outside content found in a step counts from the next one. */
export async function approvalReasons(
  calls: readonly RequestedCall[],
  plan: {
    source: "chat" | "comparison";
    approval?: PersonaApproval | undefined;
    offered?: Readonly<Record<string, OfferedTool>>;
  },
  live: ActiveGeneration,
  guard: CallGuard,
): Promise<Map<string, ApprovalReason>> {
  const reasons = new Map<string, ApprovalReason>();
  if (calls.length === 0 || plan.source !== "chat") return reasons;
  const row = findConversation(db(), live.actor, live.conversationId);
  const { outsideContentAt = null, toolApprovals = {} } = row ?? {};
  for (const { toolCallId, toolName, input } of calls) {
    const reason = await approvalReason(live.actor, toolName, input, {
      outsideContentAt,
      approvedAt: toolApprovals[toolName],
      persona: plan.approval ?? "default",
      offered: plan.offered?.[toolName],
      isRestricted: guard.isRestricted(),
      refuses: (effect) => guard.refuse(toolName, effect) !== undefined,
    });
    if (reason) reasons.set(toolCallId, reason);
  }
  return reasons;
}

/** @param output undefined for an error */
export function noteOutsideContent(live: ActiveGeneration, tool: string, output: unknown): void {
  if (!hasOutsideContent(live.actor, tool, output)) return;
  const row = findConversation(db(), live.actor, live.conversationId);
  if (!row || row.outsideContentAt !== null) return;
  transaction((tx) => updateConversation(tx, live.conversationId, { outsideContentAt: now() }));
}

/**
 * Keeps passages of restricted documents from reaching everyone, or leaving the console, through a model misled by
 * prompt injection. A conversation that contains such a passage stays marked. Its owner may allow tools to share them.
 * @param quoted the documents cited by the conversation: some may have been restricted since
 */
export function guardSharing(actor: Actor, conversationId: string, quoted: () => string[]): CallGuard {
  const read = () => findConversation(db(), actor, conversationId);
  // Deleted or unknown documents count as restricted.
  const markIfRestricted = (documents: string[]): boolean => {
    if (areVisibleToAll(actor, documents)) return false;
    transaction((tx) => updateConversation(tx, conversationId, { restrictedAt: now() }));
    return true;
  };
  const isRestricted = () => typeof read()?.restrictedAt === "number" || markIfRestricted(quoted());
  const isAllowed = () => typeof read()?.sharingAllowedAt === "number";
  return {
    isRestricted,
    refuse: (tool, effect) => (isRestricted() && !isAllowed() ? sharingRefusal(tool, effect) : undefined),
    note: (output) => {
      if (typeof read()?.restrictedAt !== "number") markIfRestricted(documentsIn(output));
    },
  };
}

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

/** Delay before notifying about an answer that an open page shows (ms): the page may be unattended or offline. */
const GRACE = 60_000;

const Reminder = z.object({ conversationId: z.string(), messageId: z.string(), parts: z.int() });

export const waitingReminder = declareJob({
  kind: "chat.remind-waiting",
  input: Reminder,
  lane: "interactive",
});

export function sendWaitingNotice(
  tx: Db,
  conversation: { id: string; orgId: string; userId: string },
  messageId: string,
  parts: readonly MessagePart[],
): void {
  const tools = parts.filter(isUndecided).map(({ toolName }) => toolName);
  notify(tx, {
    event: "approval.waiting",
    organisationId: conversation.orgId,
    audience: { permission: "chat.use", userIds: [conversation.userId] },
    title: "An answer is waiting for your approval",
    body: `Tools: ${[...new Set(tools)].join(", ")}`,
    link: `/chat/${conversation.id}`,
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
