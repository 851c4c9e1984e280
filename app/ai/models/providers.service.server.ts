import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import type { DetectedProvider } from "./catalogue.schema";
import {
  deleteProviderRow,
  findProviderRow,
  insertProviderRow,
  listProviderRows,
  type ProviderRow,
  updateProviderRow,
} from "./models.repo.server";
import { type Provider, type ProviderInput, ProviderPatch, type ProviderTest } from "./models.schema";
import { detectedOllama } from "./ollama-detection.server";
import { mergeConfig, parseConfig, requireType } from "./provider-config.server";
import { fetchModels } from "./provider-lists.server";
import { listedModels } from "./provider-models.server";
import { localOllama } from "./providers/local-ollama.provider.server";

export { detectOllama } from "./ollama-detection.server";
export { describeProviderTypes as listProviderTypes } from "./providers/index.server";

function toProvider(row: ProviderRow): Provider {
  return {
    id: row.id,
    provider: row.type,
    displayName: row.displayName,
    enabled: row.enabled,
    config: row.config,
    models: listedModels(row).map((model) => model.id),
    priority: row.priority,
    modelsAt: row.modelsAt === null ? null : new Date(row.modelsAt).toISOString(),
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

function requireProvider(source: Db, actor: Actor, id: string): ProviderRow {
  const row = findProviderRow(source, actor.orgId, id);
  if (!row) throw new AppError("not_found", "Provider not found. It may have been deleted.");
  return row;
}

export function listProviders(actor: Actor): Provider[] {
  authorise(actor, "providers.manage");
  return listProviderRows(db(), actor.orgId).map(toProvider);
}

export function readProvider(actor: Actor, id: string): Provider {
  authorise(actor, "providers.manage");
  return toProvider(requireProvider(db(), actor, id));
}

/** Also adds an unreachable provider. @throws AppError `invalid` with fields */
export async function createProvider(actor: Actor, input: ProviderInput): Promise<Provider> {
  authorise(actor, "providers.manage");
  const type = requireType(input.provider);
  const config = parseConfig(actor.orgId, type, input.config);
  const last = listProviderRows(db(), actor.orgId).at(-1);
  const row: ProviderRow = {
    id: newId("prv"),
    orgId: actor.orgId,
    type: type.value,
    displayName: input.displayName,
    enabled: input.enabled,
    config,
    models: [],
    modelsAt: null,
    priority: last ? last.priority + 1 : 0,
    createdAt: now(),
    updatedAt: now(),
  };
  transaction((tx) => {
    insertProviderRow(tx, row);
    append(tx, actor, {
      action: "provider.created",
      resource: `provider:${row.id}`,
      details: { provider: row.type, displayName: row.displayName, enabled: row.enabled },
    });
  });
  const problem = row.enabled ? await tryRefreshModels(actor, row.id) : {};
  return { ...toProvider(requireProvider(db(), actor, row.id)), ...problem };
}

export async function updateProvider(actor: Actor, id: string, input: ProviderPatch): Promise<Provider> {
  authorise(actor, "providers.manage");
  const before = requireProvider(db(), actor, id);
  const config = input.config
    ? parseConfig(actor.orgId, requireType(before.type), mergeConfig(before.config, input.config))
    : undefined;
  const change = {
    ...(input.enabled === undefined ? {} : { enabled: input.enabled }),
    ...(input.displayName === undefined ? {} : { displayName: input.displayName }),
    ...(config === undefined ? {} : { config }),
  };
  transaction((tx) => {
    requireProvider(tx, actor, id);
    updateProviderRow(tx, actor.orgId, id, { ...change, updatedAt: now() });
    append(tx, actor, {
      action: "provider.updated",
      resource: `provider:${id}`,
      details: { provider: before.type, displayName: before.displayName },
      ...changesOf(ProviderPatch.shape, before, change),
    });
  });
  const needsRefresh = config !== undefined || (input.enabled === true && before.modelsAt === null);
  const isRefreshed = (change.enabled ?? before.enabled) && needsRefresh;
  const problem = isRefreshed ? await tryRefreshModels(actor, id) : {};
  return { ...toProvider(requireProvider(db(), actor, id)), ...problem };
}

export function deleteProvider(actor: Actor, id: string): void {
  authorise(actor, "providers.manage");
  transaction((tx) => {
    const row = requireProvider(tx, actor, id);
    deleteProviderRow(tx, actor.orgId, id);
    append(tx, actor, {
      action: "provider.deleted",
      resource: `provider:${id}`,
      details: { provider: row.type, displayName: row.displayName },
    });
  });
}

/** Moves a provider in the priority order. @returns the new order */
export function moveProvider(actor: Actor, id: string, direction: "up" | "down"): Provider[] {
  authorise(actor, "providers.manage");
  return transaction((tx) => {
    const moved = requireProvider(tx, actor, id);
    const rows = listProviderRows(tx, actor.orgId);
    const from = rows.findIndex((row) => row.id === id);
    const other = rows[direction === "up" ? from - 1 : from + 1];
    if (other) {
      const order = rows.map((row) => (row.id === id ? other : row.id === other.id ? moved : row));
      for (const [priority, row] of order.entries()) {
        if (row.priority !== priority) updateProviderRow(tx, actor.orgId, row.id, { priority });
      }
      append(tx, actor, {
        action: "provider.updated",
        resource: `provider:${id}`,
        details: { provider: moved.type, displayName: moved.displayName, moved: direction },
      });
    }
    return listProviders(actor);
  });
}

/** @throws AppError with the provider's failure */
export async function refreshModels(actor: Actor, id: string): Promise<Provider> {
  authorise(actor, "providers.manage");
  const row = requireProvider(db(), actor, id);
  const models = await fetchModels(row);
  return transaction((tx) => {
    // It may have been removed during the request.
    requireProvider(tx, actor, id);
    updateProviderRow(tx, actor.orgId, id, { models, modelsAt: now() });
    append(tx, actor, {
      action: "provider.updated",
      resource: `provider:${id}`,
      details: { provider: row.type, displayName: row.displayName, models: models.length },
    });
    return toProvider({ ...row, models, modelsAt: now() });
  });
}

export async function testProvider(actor: Actor, id: string): Promise<ProviderTest> {
  authorise(actor, "providers.manage");
  const row = requireProvider(db(), actor, id);
  const started = performance.now();
  const latency = () => Math.round(performance.now() - started);
  try {
    const { length } = await fetchModels(row, { probe: true });
    const count = length === 1 ? "1 model" : `${length} models`;
    return {
      ok: true,
      message: `Connected. ${count} discovered.`,
      latencyMs: latency(),
      models: length,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ok: false, message: error.message, latencyMs: latency(), models: null };
  }
}

/** The provider is saved even if its list can't be fetched. */
async function tryRefreshModels(actor: Actor, id: string): Promise<Pick<Provider, "problem">> {
  try {
    await refreshModels(actor, id);
    return {};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { problem: error.message };
  }
}

/** Local model servers that aren't set up yet. */
export function listDetectedProviders(actor: Actor): DetectedProvider[] {
  authorise(actor, "providers.manage");
  if (listProviderRows(db(), actor.orgId).some((row) => row.type === localOllama.value)) return [];
  const ollama = detectedOllama();
  if (!ollama) return [];
  return [{ provider: localOllama.value, displayName: "Ollama on this host", ...ollama }];
}
