import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { ApprovalReason } from "./approval-reasons.schema";
import { decidedPolicy } from "./policies.server";
import type { Tool } from "./tool.shared";
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
  /** Set if nobody selected the tool: which calls ask. */
  offered?: OfferedTool | undefined;
  /** A restricted conversation's texts stay private to the person. */
  isRestricted: boolean;
}

/** Which calls ask, of a tool that nobody selected: each, or those that change or send data. */
export type OfferedTool = "always" | "changes";

/** Whether a call, or without an input any call, can change or send data. */
export function changesOrSends(tool: Tool, input?: unknown): boolean {
  if (tool.effect === "outside") return !(tool.onlyFetches?.(input as never) ?? false);
  return tool.effect === "writes";
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
  const { offered } = context;
  const given = tool.effectOf?.(input as never) ?? tool.effect;
  // Outside a restricted conversation everybody sees what such a call writes.
  const effect = given === "private" && !context.isRestricted ? tool.effect : given;
  const shares = effect === "writes" || effect === "outside";
  if (shares && context.refuses?.(effect)) return undefined;
  if (policy === "ask") return "policy";
  if (!shares) return undefined;
  const asks = changesOrSends(tool, offered === "changes" ? input : undefined);
  if (offered && policy === undefined && asks) return "offered";
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

/** Whether a result, or an error (undefined), may contain untrusted content. */
export function hasOutsideContent(actor: Pick<Actor, "orgId">, name: string, output: unknown): boolean {
  const tool = findTool(actor, name);
  if (output === undefined) return tool?.effect === "outside" || tool?.hasOutsideContent !== undefined;
  return tool?.hasOutsideContent?.(output) ?? tool?.effect === "outside";
}
