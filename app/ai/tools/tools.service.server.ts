import type { Actor } from "~/core/actor";
import { cachedByConfig } from "~/core/config-cache.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { kept } from "~/core/process.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { findOrgRecord, saveOrgRecord } from "~/platform/settings/settings.service.server";
import type { ApprovalReason } from "./approval-reasons.shared";
import type { Tool, ToolOwner } from "./tool.shared";
import { inputSchemaOf, parseToolInput } from "./tool-input.service.server";
import {
  DEFAULT_POLICY,
  type PolicyChoice,
  type ToolInfo,
  type ToolPoliciesForm,
  ToolPolicy,
} from "./tools.schema";

/** A source of tools, such as plugins. */
export interface ToolSource {
  list(actor: ToolOwner): readonly Tool[];
  /** Undefined for another source's name. */
  explainMissing?(actor: ToolOwner, name: string): string | undefined;
}

const sources = () => kept("tool sources", () => new Set<ToolSource>());
const builtIn = () => kept("built-in tools", () => ({ tools: [] as readonly Tool[] }));

/** At the start: tools of the console itself, which come before those of other sources. */
export function offerBuiltIn(tools: readonly Tool[]): void {
  builtIn().tools = tools;
}

export const builtInTools = (): string[] =>
  builtIn().tools.flatMap(({ name, chatOnly }) => (chatOnly ? [] : name));

/** @returns a function to unregister */
export function registerToolSource(source: ToolSource): () => void {
  sources().add(source);
  return () => void sources().delete(source);
}

function allTools(actor: ToolOwner): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of [...builtIn().tools, ...[...sources()].flatMap((source) => source.list(actor))]) {
    if (!byName.has(tool.name)) byName.set(tool.name, tool);
  }
  return [...byName.values()];
}

export function findTool(actor: ToolOwner, name: string): Tool | undefined {
  return allTools(actor).find((tool) => tool.name === name);
}

/** With a remedy if a plugin brings it. */
export function explainMissingTool(actor: ToolOwner, name: string): string {
  const [reason] = [...sources()].flatMap((source) => source.explainMissing?.(actor, name) ?? []);
  return reason === undefined ? `Tool "${name}" not found.` : `Tool "${name}" can't be used. ${reason}`;
}

/** Reasons by missing tool. */
export function explainMissingTools(actor: ToolOwner, names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const present = new Set(allTools(actor).map(({ name }) => name));
  const missing = [...new Set(names)].filter((name) => !present.has(name));
  return Object.fromEntries(missing.map((name) => [name, explainMissingTool(actor, name)]));
}

const RECORD = "tool-policies";

const readPolicies = cachedByConfig([`settings:${RECORD}`], (orgId) => {
  const stored = Object.entries(findOrgRecord(db(), orgId, RECORD));
  return new Map(
    stored.flatMap(([name, value]) => {
      const policy = ToolPolicy.safeParse(value).data;
      return policy === undefined ? [] : [[name, policy] as const];
    }),
  );
});

/** Undefined without a decision. */
export const decidedPolicy = (orgId: string, name: string): ToolPolicy | undefined =>
  readPolicies(orgId).get(name);

/** Defaults by effect. */
export function policyOf(orgId: string, { name, effect }: Pick<Tool, "name" | "effect">): ToolPolicy {
  return decidedPolicy(orgId, name) ?? DEFAULT_POLICY[effect];
}

/** @param policy undefined returns to the default */
function savePolicy(tx: Db, orgId: string, name: string, policy: ToolPolicy | undefined): void {
  const { [name]: _, ...others } = findOrgRecord(tx, orgId, RECORD);
  saveOrgRecord(tx, orgId, RECORD, policy === undefined ? others : { ...others, [name]: policy });
}

// Built-in schemas are constant; creating one takes 1 ms.
const schemas = new WeakMap<Tool, ToolInfo["inputSchema"]>();

function schemaOf(tool: Tool): ToolInfo["inputSchema"] {
  const schema = schemas.get(tool) ?? inputSchemaOf(tool);
  schemas.set(tool, schema);
  return schema;
}

function toInfo(orgId: string, tool: Tool): ToolInfo {
  const { name, title, description, effect } = tool;
  return {
    name,
    title,
    description,
    effect,
    changesOrSends: changesOrSends(tool),
    policy: policyOf(orgId, tool),
    isDefaultPolicy: decidedPolicy(orgId, name) === undefined,
    inputSchema: schemaOf(tool),
  };
}

export function listTools(actor: Actor): ToolInfo[] {
  authorise(actor, "screens.read");
  return allTools(actor)
    .filter(({ chatOnly }) => !chatOnly)
    .map((tool) => toInfo(actor.orgId, tool));
}

/** A tool that chats hand out by themselves. */
export function describeChatTool(actor: Actor, name: string): ToolInfo {
  const tool = findTool(actor, name);
  if (!tool?.chatOnly) throw new Error(`${name} is no tool of chats.`);
  return toInfo(actor.orgId, tool);
}

export function offerTools(actor: Actor): ToolInfo[] {
  return listTools(actor).filter(({ policy }) => policy !== "never");
}

/** `default` follows the effect. Applies from the next call on. @throws AppError `not_found` */
export function setToolPolicy(actor: Actor, name: string, choice: PolicyChoice): ToolInfo {
  authorise(actor, "settings.manage");
  return transaction((tx) => {
    const tool = findTool(actor, name);
    if (!tool) throw new AppError("not_found", `Tool "${name}" not found.`);
    const before = decidedPolicy(actor.orgId, name) ?? "default";
    if (before !== choice) {
      savePolicy(tx, actor.orgId, name, choice === "default" ? undefined : choice);
      append(tx, actor, {
        action: "tool.policy_changed",
        resource: `tool:${name}`,
        details: { tool: name },
        before: { policy: before },
        after: { policy: choice },
      });
    }
    return toInfo(actor.orgId, tool);
  });
}

/** All or none of what a form changed. @returns the names @throws AppError as `setToolPolicy` */
export function setToolPolicies(actor: Actor, { tools }: ToolPoliciesForm): string[] {
  authorise(actor, "settings.manage");
  const changed = tools.filter(({ policy, shown }) => policy !== shown);
  transaction(() => {
    for (const { name, policy } of changed) setToolPolicy(actor, name, policy);
  });
  return changed.map(({ name }) => name);
}

export const nobodyToAsk = (tool: string): string =>
  `${tool} needs approval, which isn't possible here. An admin can always allow it under Settings › Advanced.`;

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
function changesOrSends(tool: Tool, input?: unknown): boolean {
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
  actor: ToolOwner,
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
  actor: ToolOwner,
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
export async function validateToolInput(actor: ToolOwner, name: string, input: unknown): Promise<void> {
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
export function hasOutsideContent(actor: ToolOwner, name: string, output: unknown): boolean {
  const tool = findTool(actor, name);
  if (output === undefined) return tool?.effect === "outside" || tool?.hasOutsideContent !== undefined;
  return tool?.hasOutsideContent?.(output) ?? tool?.effect === "outside";
}
