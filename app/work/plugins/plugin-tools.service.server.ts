import { generateText } from "~/ai/models/generate-text.service.server";
import { availableModel, listModels } from "~/ai/models/models.service.server";
import type { Tool, ToolOwner } from "~/ai/tools/tool.shared";
import { registerToolSource } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { currentPurpose } from "~/core/purpose.server";
import { clip } from "~/core/well-formed";
import { authorise } from "~/platform/rights/authorization.server";
import { keyForWorkflow, keyValue } from "~/team/keys/keys.service.server";
import { queryPostgres } from "~/work/workflows/services/query-postgres.service.server";
import { type CatalogEntry, catalogOf, findEntry } from "./catalog.server";
import { disconnectServers } from "./mcp/mcp-client.server";
import { toolsOfServer } from "./mcp/mcp-tools.server";
import { readCredentials } from "./mcp/oauth/credentials.server";
import type { BundledPlugin, PluginContext, PluginTool, QueryResult } from "./plugin";
import {
  findInstallationRow,
  type InstallationRow,
  listActiveRows,
  type McpServerRow,
} from "./plugins.repo.server";
import { declaredHosts, missingConsent } from "./requests.server";
import { missingSetting, settingValues } from "./setting-values.server";

const TIMEOUT = 30_000;
const DATABASE_TIMEOUT = 20_000;
const OUTPUT_LIMIT = 60_000;
const MAX_BYTES = 10_000_000;

/** Whether its shared account isn't connected. A call tells a person who has no account of their own. */
const lacksAccount = (server: McpServerRow) =>
  server.usesOAuth && server.accounts === "shared" && !readCredentials(server).tokens;

/**
 * Why a plugin can't be used, and what to do about it.
 *
 * @param mayManage whether the reader sees it where they can do it; others read that an admin can, and where
 */
export function problemOf(
  { manifest, source }: CatalogEntry,
  row: InstallationRow,
  mayManage = false,
): string | undefined {
  const { title } = manifest;
  const remedy = (verb: string, what: string, place = "Extensions") =>
    mayManage ? `${verb} ${what}.` : `An admin can ${verb.toLowerCase()} ${what} under ${place}.`;
  if (!row.enabled) return `${title} is inactive. ${remedy("Enable", "it")}`;
  if (missingConsent(manifest, row.consent))
    return `${title} requests new permissions. ${remedy("Review", "them")}`;
  if (source.kind === "mcp" && lacksAccount(source.server))
    return `${title} isn't connected to an account. ${remedy("Connect", "it", "Extensions › Installed › Tools")}`;
  const values = settingValues(manifest, row.settings);
  const missing = missingSetting(manifest, values);
  if (missing) return `${title} needs a setting: ${missing.label}. ${remedy("Configure", "it")}`;
  return undefined;
}

/** As `problemOf`, or that it isn't installed. */
export function explainUnusable(orgId: string, entry: CatalogEntry): string | undefined {
  const row = findInstallationRow(db(), orgId, entry.manifest.id);
  if (!row || row.removedAt !== null)
    return `The plugin ${entry.manifest.title} isn't installed. An admin can install it under Extensions.`;
  return problemOf(entry, row);
}

type Query = Parameters<PluginContext["queryDatabase"]>[1];

async function queryDatabase(orgId: string, keyId: unknown, query: Query, signal: AbortSignal) {
  const connection = keyValue(orgId, String(keyId ?? ""), "database");
  const bounds = { signal, timeoutMs: DATABASE_TIMEOUT, readOnlyHint: "A plugin only reads." };
  return (await queryPostgres(connection, { ...query, write: false }, bounds)) as unknown as QueryResult;
}

/** Through router, budgets and usage records. @throws AppError with the provider's reason; `provider_model` */
async function generate(
  caller: Actor,
  { model, maxLength, ...request }: Parameters<PluginContext["generate"]>[0],
  signal: AbortSignal,
) {
  authorise(caller, "chat.use");
  // A workflow's tools act for the workflow, but its models are paid by its member, as in its own steps.
  const { workflowId, memberId = caller.userId } = currentPurpose();
  const actor = { ...caller, userId: memberId };
  const chosen = model || availableModel(listModels(actor), "");
  const asked = { ...request, model: chosen, maxLength, signal, workflowId };
  const { text: written, model: answered, sources } = await generateText(actor, asked);
  return {
    text: clip(written, maxLength),
    truncated: written.length > maxLength,
    model: answered,
    sources,
  };
}

function toTool({ manifest }: BundledPlugin, tool: PluginTool, row: InstallationRow): Tool {
  const { timeoutMs = TIMEOUT, onlyFetches, ...facts } = tool;
  const settings = settingValues(manifest, row.settings);
  const hosts = declaredHosts(manifest, settings);
  const fetch = guardedFetch(`plugin:${manifest.id}`, {
    timeoutMs,
    silenceMs: 15_000,
    maxBytes: MAX_BYTES,
    secretHeaders: ["private-token"],
    sendsTrace: true,
    ...(hosts && { hosts }),
  });
  return {
    ...facts,
    name: `${manifest.id}.${tool.name}`,
    timeoutMs,
    outputLimit: OUTPUT_LIMIT,
    pluginId: manifest.id,
    ...(onlyFetches && { onlyFetches: () => true }),
    async run(input, { actor, signal, report, keepFile }) {
      authorise(actor, "chat.use");
      const key = (setting: string, origin: string) => {
        const keyId = settings[setting];
        if (typeof keyId !== "string" || keyId === "") return undefined;
        return keyForWorkflow(actor.orgId, keyId, origin);
      };
      return tool.run(input, {
        actor,
        signal,
        settings,
        fetch,
        key,
        report,
        keepFile,
        queryDatabase: (setting, query) => queryDatabase(actor.orgId, settings[setting], query, signal),
        generate: (request) => generate(actor, request, signal),
      });
    },
  };
}

/** By installation; `stamp` invalidates. */
const cache = new Map<string, { stamp: string; tools: readonly Tool[] }>();
const MAX_CACHED_TOOLS = 500;

function toolsFor(entry: CatalogEntry, row: InstallationRow): readonly Tool[] {
  const { source } = entry;
  if (source.kind === "listed") return [];
  const stamp = `${row.updatedAt} ${source.kind === "mcp" ? source.server.updatedAt : ""}`;
  const cached = cache.get(row.id);
  if (cached?.stamp === stamp) return cached.tools;
  const tools =
    source.kind === "bundled"
      ? source.plugin.tools.map((tool) => toTool(source.plugin, tool, row))
      : toolsOfServer(source.server);
  if (cache.size >= MAX_CACHED_TOOLS) cache.clear();
  cache.set(row.id, { stamp, tools });
  return tools;
}

/** Usable plugins. */
export function listActiveEntries(orgId: string): { entry: CatalogEntry; row: InstallationRow }[] {
  const rows = listActiveRows(db(), orgId);
  if (rows.length === 0) return [];
  const entries = new Map(catalogOf(orgId).map((entry) => [entry.manifest.id, entry]));
  return rows.flatMap((row) => {
    const entry = entries.get(row.pluginId);
    return entry && !problemOf(entry, row) ? [{ entry, row }] : [];
  });
}

const listActive = ({ orgId }: ToolOwner): Tool[] =>
  listActiveEntries(orgId).flatMap(({ entry, row }) => toolsFor(entry, row));

/** Why a tool is missing, and how to restore it. */
function explainMissing({ orgId }: ToolOwner, name: string): string | undefined {
  const [pluginId = ""] = name.split(".", 1);
  const entry = findEntry(orgId, pluginId);
  if (!entry) return undefined;
  const problem = explainUnusable(orgId, entry);
  return (
    problem ??
    `${entry.manifest.title} has no tool "${name}" that is allowed. An admin can review its tools under Extensions.`
  );
}

/** @returns a stop function, which ends local commands */
export function startPlugins(): () => Promise<void> {
  const remove = registerToolSource({ list: listActive, explainMissing });
  return async () => {
    remove();
    await disconnectServers();
  };
}

export function requireEntry(orgId: string, pluginId: string): CatalogEntry {
  const entry = findEntry(orgId, pluginId);
  if (!entry) throw new AppError("not_found", "Plugin not found. It may have been removed.");
  return entry;
}
