import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { ApprovalReason } from "./approval-reasons.schema";
import { decidedPolicy } from "./policies.server";
import type { Tool } from "./tool";
import { parseToolInput } from "./tool-input.server";
import { explainMissingTool, findTool } from "./tool-sources.service.server";

/** Only at a screen; a program has nobody before it. */
export const canAsk = ({ kind }: Pick<Actor, "kind">): boolean => kind === "user";

export const nobodyToAsk = (tool: string): string =>
  `${tool} needs approval, which isn't possible here. Ask an admin to always allow it.`;

interface ApprovalContext {
  /** First untrusted content; null without any. */
  outsideContentAt: number | null;
  /** For the conversation. */
  approvedAt: number | undefined;
  /** Effects that are refused anyway. */
  refuses?(effect: "writes" | "outside"): boolean;
  /** `default` uses the policies. */
  persona: PersonaApproval;
}

/**
 * Personas' approval mode: `default` as in any chat, `ask` before calls that write or go outside, `organisation` by
 * policy.
 */
export type PersonaApproval = "default" | "ask" | "organisation";

/** By policy or persona, else by the conversation's content. */
function reasonFor(
  actor: Pick<Actor, "orgId">,
  tool: Tool,
  input: unknown,
  context: ApprovalContext,
): ApprovalReason | undefined {
  const policy = decidedPolicy(actor.orgId, tool.name);
  if (policy === "never") return undefined;
  const effect = tool.effectOf?.(input as never) ?? tool.effect;
  const shares = effect === "writes" || effect === "outside";
  if (shares && context.refuses?.(effect)) return undefined;
  if (policy === "ask") return "policy";
  if (!shares) return undefined;
  const { persona, outsideContentAt } = context;
  if (persona === "ask" || (persona === "organisation" && policy === undefined)) return "persona";
  return policy === undefined && outsideContentAt !== null ? "outside" : undefined;
}

/** Later untrusted content invalidates it. */
export function isApprovalValid({
  approvedAt,
  outsideContentAt,
}: Pick<ApprovalContext, "approvedAt" | "outsideContentAt">): boolean {
  return approvedAt !== undefined && (outsideContentAt === null || outsideContentAt <= approvedAt);
}

/** Undefined if the call runs, or fails regardless: unknown, disabled or invalid. */
export async function approvalReason(
  actor: Pick<Actor, "orgId">,
  name: string,
  input: unknown,
  context: ApprovalContext,
): Promise<ApprovalReason | undefined> {
  const tool = findTool(actor, name);
  if (!tool || isApprovalValid(context)) return undefined;
  try {
    return reasonFor(actor, tool, await parseToolInput(tool, input), context);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** @throws AppError `invalid` at `input`, `not_found` for a missing tool */
export async function validateToolInput(
  actor: Pick<Actor, "orgId">,
  name: string,
  input: unknown,
): Promise<void> {
  const tool = findTool(actor, name);
  if (!tool) throw new AppError("not_found", explainMissingTool(actor, name));
  try {
    await parseToolInput(tool, input);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("invalid", error.message, { fields: { input: [error.message] }, cause: error });
  }
}

/** Whether a result contains untrusted content. */
export function hasOutsideContent(actor: Pick<Actor, "orgId">, name: string, output: unknown): boolean {
  const tool = findTool(actor, name);
  return tool?.hasOutsideContent?.(output) ?? tool?.effect === "outside";
}
