import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { laterThan } from "~/core/edits.server";
import { env, findMcpCommand } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { textMatcher } from "~/core/language/find-words.shared";
import { foldWord } from "~/core/language/fold";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { hasKey } from "~/team/keys/keys.service.server";
import { scanText } from "../bundled/injection-scanner/scan";
import { allowedTools } from "../catalog.server";
import { installPlugin, noteListedVersion } from "../install.service.server";
import {
  deleteMcpServerRow,
  findActiveServerRow,
  findMcpServerRow,
  listMcpServerRows,
  type McpDecision,
  type McpServerRow,
  type McpTarget,
  saveMcpServerRow,
} from "../plugins.repo.server";
import { isIsolated } from "./commands/sandbox.server";
import { forgetFailures } from "./connections.server";
import { describeServer, type ServerDescription } from "./describe-tools.server";
import { compareTools } from "./differences";
import {
  type McpDecisionsInput,
  type McpServer,
  type McpServerInput,
  type McpToolState,
  type ServerSummary,
  type ServerTools,
  type ServerToolsQuery,
  TOOLS_PER_PAGE,
} from "./mcp.schema";
import { disconnectServer } from "./mcp-client.server";
import { followListChanges } from "./new-client.server";
import { readOAuthChallenge } from "./oauth/challenge.server";
import { readCredentials, targetFor } from "./oauth/credentials.server";

const MAX_SERVERS = 50;
const CHECK_TIMEOUT = 60_000;

export function requireServer(orgId: string, id: string): McpServerRow {
  const row = findMcpServerRow(db(), orgId, id);
  if (!row) throw new AppError("not_found", "MCP server not found. It may have been removed.");
  return row;
}

function stateOf(row: McpServerRow, tool: McpServerRow["tools"][number]): McpToolState {
  const decision = Object.hasOwn(row.decisions, tool.name) ? row.decisions[tool.name] : undefined;
  const { reads: _, unsupported, unchecked, ...visible } = tool;
  const reason = unsupported ?? unchecked ?? null;
  const facts = { ...visible, reason, warnings: warningsOf(tool), agreed: null, changes: null };
  if (unsupported !== undefined) return { ...facts, state: "unsupported" };
  if (!decision) return { ...facts, state: "new" };
  if (decision.tool.hash === tool.hash) return { ...facts, state: decision.allowed ? "allowed" : "denied" };
  const { description, inputSchema } = decision.tool;
  return {
    ...facts,
    state: "changed",
    agreed: { description, inputSchema },
    changes: compareTools(decision.tool, tool),
  };
}

/** Suspected prompt injections. */
function warningsOf({ description, inputSchema }: McpServerRow["tools"][number]): string[] {
  const findings = scanText(`${description}\n${JSON.stringify(inputSchema)}`);
  return [...new Set(findings.filter(({ severity }) => severity !== "low").map(({ rule }) => rule))];
}

function accountOf(row: McpServerRow, actor: Actor): McpServer["account"] {
  if (!row.usesOAuth) return null;
  const { tokens, neededScope } = readCredentials(targetFor(row, actor));
  return {
    connected: tokens !== undefined,
    issuer: tokens?.issuer ?? null,
    accounts: row.accounts,
    neededScope: neededScope ?? null,
  };
}

function sandboxOf({ transport }: McpServerRow): McpServer["sandbox"] {
  if (transport === "http") return null;
  return isIsolated() ? "bubblewrap" : "none";
}

function toServer(row: McpServerRow, actor: Actor): McpServer {
  return {
    id: row.id,
    title: row.title,
    url: row.target,
    local: row.transport === "command",
    server: row.server,
    checkedAt: row.checkedAt === null ? null : new Date(row.checkedAt).toISOString(),
    error: row.error,
    tools: row.tools.map((tool) => stateOf(row, tool)),
    prompts: row.prompts,
    resources: row.resources,
    account: accountOf(row, actor),
    sandbox: sandboxOf(row),
  };
}

/** What a list says of each server: how many of its tools are allowed, and its last check. */
export function listServerStates(actor: Actor): Record<string, ServerSummary> {
  authorise(actor, "screens.read");
  return Object.fromEntries(
    listMcpServerRows(db(), actor.orgId).map(({ id, tools, decisions, checkedAt, error }) => {
      const isAllowed = ({ name, hash, unsupported }: McpServerRow["tools"][number]) => {
        const decision = Object.hasOwn(decisions, name) ? decisions[name] : undefined;
        return unsupported === undefined && decision?.allowed === true && decision.tool.hash === hash;
      };
      return [
        id,
        {
          allowed: tools.filter(isAllowed).length,
          total: tools.length,
          checkedAt: checkedAt === null ? null : new Date(checkedAt).toISOString(),
          error,
        },
      ];
    }),
  );
}

export function readMcpServer(actor: Actor, id: string): McpServer {
  authorise(actor, "plugins.manage");
  return toServer(requireServer(actor.orgId, id), actor);
}

function isChanged(row: McpServerRow, { name, hash, unsupported }: McpServerRow["tools"][number]): boolean {
  const decision = Object.hasOwn(row.decisions, name) ? row.decisions[name] : undefined;
  return unsupported === undefined && decision !== undefined && decision.tool.hash !== hash;
}

/** A server with those of its tools that have the words. */
export function pageServerTools(actor: Actor, id: string, { find, toolPage }: ServerToolsQuery): ServerTools {
  authorise(actor, "plugins.manage");
  const row = requireServer(actor.orgId, id);
  const hasWords = textMatcher(find, foldWord);
  const found = row.tools.filter((tool) => hasWords(`${tool.name}\n${tool.title}\n${tool.description}`));
  const changed = found.filter((tool) => isChanged(row, tool));
  // Changed ones first: they are off until someone decides.
  const ordered = [...changed, ...found.filter((tool) => !changed.includes(tool))];
  const page = Math.min(toolPage, Math.max(1, Math.ceil(found.length / TOOLS_PER_PAGE)));
  const shown = ordered.slice((page - 1) * TOOLS_PER_PAGE, page * TOOLS_PER_PAGE);
  return {
    server: toServer({ ...row, tools: shown }, actor),
    find,
    pageInfo: { page, size: TOOLS_PER_PAGE, total: found.length },
    counts: {
      tools: row.tools.length,
      allowed: allowedTools(row).length,
      changed: row.tools.filter((tool) => isChanged(row, tool)).length,
    },
  };
}

/** Derived from the title; a prefix of tool names. */
function idFor(orgId: string, title: string): string {
  const words = title
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9]+/g, "-");
  const slug = words.slice(0, 24).replace(/^-+|-+$/g, "") || "server";
  const existingIds = new Set(listMcpServerRows(db(), orgId).map((row) => row.id));
  for (let number = 1; ; number++) {
    const id = number === 1 ? `mcp-${slug}` : `mcp-${slug}-${number}`;
    if (!existingIds.has(id)) return id;
  }
}

function keysOf({ keyId, header }: McpServerInput): McpServerRow["keys"] {
  if (!keyId) return [];
  return [header ? { name: header, keyId, prefix: "" } : { name: "Authorization", keyId, prefix: "Bearer " }];
}

/** With OAuth, tools are listed after the sign-in. */
async function inspectServer(
  target: Omit<McpTarget, "usesOAuth">,
  signal: AbortSignal,
): Promise<ServerDescription & Pick<McpServerRow, "usesOAuth">> {
  try {
    // A separate id: the installation starts its own.
    const described = await describeServer({ ...target, usesOAuth: false }, signal);
    return { ...described, usesOAuth: false };
  } catch (error) {
    const canUseOAuth = target.transport === "http" && target.keys.length === 0;
    if (!canUseOAuth || !(error instanceof AppError) || error.code !== "provider_key") throw error;
    if (!(await readOAuthChallenge(target))) throw error;
    return { tools: [], prompts: [], resources: [], server: null, usesOAuth: true };
  } finally {
    await disconnectServer(target.id);
  }
}

/**
 * Connects to a server and installs it with all tools denied until an admin allows them. OAuth servers need a sign-in
 * next.
 * @throws AppError if unreachable or not MCP
 */
export async function addMcpServer(
  actor: Actor,
  input: McpServerInput,
  signal: AbortSignal,
): Promise<McpServer> {
  authorise(actor, "plugins.manage");
  const { title, url, command, keyId, clientId, clientKeyId = "" } = input;
  const refuse = (field: string, message: string) =>
    new AppError("invalid", message, { fields: { [field]: [message] } });
  if (command && !findMcpCommand(env().MCP_COMMANDS, command))
    throw refuse("command", "This command isn't listed in MCP_COMMANDS.");
  if (keyId && !hasKey(actor.orgId, keyId))
    throw refuse("keyId", "This key reference was removed. Choose another one.");
  if (clientKeyId && !hasKey(actor.orgId, clientKeyId))
    throw refuse("clientKeyId", "This key reference was removed. Choose another one.");
  if (listMcpServerRows(db(), actor.orgId).length >= MAX_SERVERS)
    throw new AppError("conflict", `An organization can have ${MAX_SERVERS} MCP servers. Remove one first.`);
  const target = {
    id: newId("mcp"),
    orgId: actor.orgId,
    title,
    transport: command ? ("command" as const) : ("http" as const),
    target: command || url,
    // A command has no origin to bind keys to.
    keys: command ? [] : keysOf(input),
  };
  const inspection = await inspectServer(target, signal);
  const row = transaction((tx) => {
    const at = now();
    const added: McpServerRow = {
      ...target,
      id: idFor(actor.orgId, title),
      ...inspection,
      accounts: "shared",
      client: inspection.usesOAuth && clientId ? { clientId, keyId: clientKeyId } : null,
      credentials: null,
      decisions: {},
      checkedAt: inspection.usesOAuth ? null : at,
      error: null,
      createdAt: at,
      updatedAt: at,
    };
    saveMcpServerRow(tx, added);
    append(tx, actor, {
      action: "extension.server_added",
      resource: `plugin:${added.id}`,
      details: { title, server: command || new URL(url).host, tools: inspection.tools.length },
    });
    return added;
  });
  installPlugin(actor, row.id);
  return toServer(row, actor);
}

/** With a new time: a cache key. */
const changed = (row: McpServerRow, change: Partial<McpServerRow>): McpServerRow => ({
  ...row,
  ...change,
  updatedAt: laterThan(row.updatedAt, now()),
});

/** @param target with the account that lists its tools */
async function check(target: McpTarget, signal: AbortSignal): Promise<void> {
  const { id, orgId } = target;
  const save = (result: Partial<McpServerRow>) =>
    transaction((tx) => {
      const current = findMcpServerRow(tx, orgId, id);
      if (current) saveMcpServerRow(tx, changed(current, { ...result, checkedAt: now() }));
    });
  try {
    save({ ...(await describeServer(target, signal)), error: null });
  } catch (error) {
    if (!(error instanceof AppError)) {
      save({ error: "The check failed. See the server log for the reason." });
      throw error;
    }
    save({ error: error.message });
  }
  publish({ topic: "plugins", orgId });
}

/** Failures are stored and shown; allowed tools stay allowed. */
export async function refreshMcpServer(actor: Actor, id: string, signal: AbortSignal): Promise<McpServer> {
  authorise(actor, "plugins.manage");
  forgetFailures(id);
  await check(targetFor(requireServer(actor.orgId, id), actor), signal);
  const row = requireServer(actor.orgId, id);
  if (row.error === null) noteListedVersion(actor.orgId, id);
  return toServer(row, actor);
}

/** A server that lists its tools to an account of nobody in particular. */
const hasOwnView = ({ usesOAuth, accounts }: McpServerRow) => !usesOAuth || accounts === "shared";

/** Checks an installed server after a notification. */
async function checkChanged({ orgId, id }: Pick<McpServerRow, "orgId" | "id">): Promise<void> {
  const row = findActiveServerRow(db(), orgId, id);
  if (row && hasOwnView(row)) await check(row, AbortSignal.timeout(CHECK_TIMEOUT));
}

/** @returns a stop function */
export const followServerChanges = (): (() => void) => followListChanges(checkChanged);

export async function refreshAllServers(orgId: string, signal: AbortSignal): Promise<void> {
  for (const { id } of listMcpServerRows(db(), orgId)) {
    signal.throwIfAborted();
    // During the check before it, it may have been disabled or removed.
    const row = findActiveServerRow(db(), orgId, id);
    if (row && hasOwnView(row)) await check(row, signal);
  }
}

/**
 * Allows the named tools as shown and denies the others that it is about; one changed since stays denied. A list of
 * many is decided page by page.
 */
export function decideTools(actor: Actor, id: string, { allowed, decided }: McpDecisionsInput): McpServer {
  authorise(actor, "plugins.manage");
  const row = requireServer(actor.orgId, id);
  const chosen = new Set(allowed);
  const about = decided && new Set(decided);
  const decisions: Record<string, McpDecision> = Object.fromEntries(
    row.tools.flatMap((tool) => {
      if (tool.unsupported !== undefined) return [];
      const version = `${tool.name}#${tool.hash}`;
      if (!about || about.has(version)) return [[tool.name, { allowed: chosen.has(version), tool }]];
      const before = Object.hasOwn(row.decisions, tool.name) ? row.decisions[tool.name] : undefined;
      return before ? [[tool.name, before]] : [];
    }),
  );
  const names = allowedTools({ ...row, decisions }).map(({ name }) => name);
  transaction((tx) => {
    saveMcpServerRow(tx, changed(row, { decisions }));
    append(tx, actor, {
      action: "extension.tools_updated",
      resource: `plugin:${id}`,
      details: { title: row.title, allowed: names },
    });
  });
  publish({ topic: "plugins", orgId: actor.orgId });
  return toServer(requireServer(actor.orgId, id), actor);
}

/** Deletes servers that were uninstalled long ago. */
export function forgetServers(removed: readonly { orgId: string; pluginId: string }[]): void {
  transaction((tx) => {
    for (const { orgId, pluginId } of removed) deleteMcpServerRow(tx, orgId, pluginId);
  });
}

export const commandNames = (): string[] => Object.keys(env().MCP_COMMANDS ?? {});
