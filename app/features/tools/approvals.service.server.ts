import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { ApprovalReason } from "./approval-reasons.schema";
import { decidedPolicy } from "./policies.server";
import type { Tool } from "./tool";
import { parseToolInput } from "./tool-input.server";
import { explainMissingTool, findTool } from "./tool-sources.service.server";

interface ApprovalContext {
  /** When content from outside first came into the conversation; null without any. */
  outsideContentAt: number | null;
  /** When the person approved the tool for the conversation. */
  approvedAt: number | undefined;
  /** Whether calls of an effect are refused anyway. */
  refuses?(effect: "writes" | "outside"): boolean;
  /** When the persona asks; `default` leaves it to the policies. */
  persona: PersonaApproval;
}

/**
 * When a persona asks for approval: `default` by the rules of any chat, `ask` before each call that writes or goes outside,
 * `organisation` by the organization's policies with those of the effects.
 */
export type PersonaApproval = "default" | "ask" | "organisation";

/** The reason of a policy or a persona, or else of what the conversation holds. */
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

/** Whether an approval for a conversation still holds: it doesn't cover content from outside that came after it. */
export function isApprovalValid({
  approvedAt,
  outsideContentAt,
}: Pick<ApprovalContext, "approvedAt" | "outsideContentAt">): boolean {
  return approvedAt !== undefined && (outsideContentAt === null || outsideContentAt <= approvedAt);
}

/**
 * Why a call waits for a person where one can be asked; undefined where it runs, or is refused whatever a person says: an
 * unknown tool, one that is turned off, an input that isn't valid.
 */
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

/** @throws AppError `invalid` with the problem of the field `input`, `not_found` for a tool that is gone */
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

/** Whether a tool's result brought content from outside into a conversation. */
export function hasOutsideContent(actor: Pick<Actor, "orgId">, name: string, output: unknown): boolean {
  const tool = findTool(actor, name);
  return tool?.hasOutsideContent?.(output) ?? tool?.effect === "outside";
}
