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
import { db, transaction } from "~/core/db.server";
import { areVisibleToAll } from "~/work/documents/documents.service.server";
import { MAYBE_EFFECTIVE } from "../answer-state.shared";
import { findConversation, updateConversation } from "../chat.repo.server";
import { sharingRefusal } from "../sharing.shared";
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
    source: "chat" | "comparison" | "temporary";
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
