import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { isCacheFresh } from "~/platform/settings/caches.service.server";
import type { KeyInput } from "~/team/keys/keys.schema";
import { addKey, chosenKeyId, tryKey } from "~/team/keys/keys.service.server";
import type { KeyUse } from "~/team/keys/keys.shared";
import type { DetectedProvider } from "./catalogue.schema";
import { explainProviderError } from "./explain-provider-error.server";
import {
  deleteProviderRow,
  findProviderRow,
  insertProviderRow,
  listProviderRows,
  type ProviderRow,
  saveModelList,
  updateProviderRow,
} from "./models.repo.server";
import {
  type ListedModel,
  type Provider,
  type ProviderInput,
  ProviderPatch,
  type ProviderTest,
} from "./models.schema";
import { detectedOllama } from "./ollama-detection.server";
import {
  chosenVariable,
  parseConfig,
  requireType,
  usualVariable,
  withoutUnset,
} from "./provider-config.server";
import {
  callFor,
  callWith,
  enabledProviders,
  entryOf,
  hasRequiredKey,
  keyRequestOf,
  listedModels,
  type ProviderEntry,
  readConfig,
} from "./provider-entry.server";
import { localOllama } from "./providers/local-ollama.provider.server";
import { healthOf } from "./router/health.server";

export { detectOllama } from "./ollama-detection.server";
export { listProviderChoices } from "./provider-config.server";
export { listProviderTypes } from "./providers/index.server";

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

/** What each entry of the trail says about a provider. */
const about = ({ id, type, displayName }: ProviderRow) => ({
  resource: `provider:${id}` as const,
  details: { provider: type, displayName },
});

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

/** The field of a test that failed. */
const TEST = "test";

/** @throws AppError with the reason in the field `test` */
async function testBeforeSave(actor: Actor, entry: ProviderEntry, key: KeyInput | undefined) {
  const { row, type } = entry;
  const started = performance.now();
  try {
    const call = key ? callWith(entry, tryKey(actor, key), LIST_OPTIONS) : callFor(entry, LIST_OPTIONS);
    await type.probe?.(call);
    const models = cleanModels(await type.listModels(call));
    const problem = withoutModels(row, models);
    if (problem) throw new AppError("provider_model", problem);
    healthOf(row.id).succeedProbe(Math.round(performance.now() - started));
    return { models, modelsAt: now() };
  } catch (error) {
    const explained = explainProviderError(error, { provider: row.displayName });
    throw new AppError(explained.code, explained.message, { fields: { [TEST]: [explained.message] } });
  }
}

/**
 * Adds a provider with the reference to its key, where it has none. Without `isTested` an unreachable one as well.
 * @throws AppError `invalid` with fields, and with `isTested` why it can't be used, in the field `test`
 */
export async function createProvider(
  actor: Actor,
  input: ProviderInput,
  { isTested = false }: { isTested?: boolean } = {},
): Promise<Provider> {
  authorise(actor, "providers.manage");
  const type = requireType(input.provider);
  const config = parseConfig(actor.orgId, type, input.config);
  const chosen = chosenVariable(type, config);
  const key = chosen ?? usualVariable(actor, type, config);
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
  if (isTested) Object.assign(row, await testBeforeSave(actor, { row, type, config }, key));
  transaction((tx) => {
    const keyId = key && addKey(actor, key).id;
    insertProviderRow(tx, chosen ? { ...row, config: { ...config, keyId } } : row);
    append(tx, actor, {
      ...about(row),
      action: "provider.created",
      details: { ...about(row).details, enabled: row.enabled },
    });
  });
  const problem = row.enabled && !isTested ? await tryRefreshModels(actor, row.id) : {};
  return { ...toProvider(requireProvider(db(), actor, row.id)), ...problem };
}

export async function updateProvider(actor: Actor, id: string, input: ProviderPatch): Promise<Provider> {
  authorise(actor, "providers.manage");
  const before = requireProvider(db(), actor, id);
  const config = input.config
    ? parseConfig(actor.orgId, requireType(before.type), withoutUnset({ ...before.config, ...input.config }))
    : undefined;
  const key = config && chosenVariable(requireType(before.type), config);
  const change = {
    ...(input.enabled === undefined ? {} : { enabled: input.enabled }),
    ...(input.displayName === undefined ? {} : { displayName: input.displayName }),
    ...(config === undefined ? {} : { config }),
  };
  transaction((tx) => {
    requireProvider(tx, actor, id);
    if (key) change.config = { ...config, keyId: addKey(actor, key).id };
    updateProviderRow(tx, actor.orgId, id, { ...change, updatedAt: now() });
    append(tx, actor, {
      ...about(before),
      action: "provider.updated",
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
    append(tx, actor, { ...about(row), action: "provider.deleted" });
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
        ...about(moved),
        action: "provider.updated",
        details: { ...about(moved).details, moved: direction },
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
    saveModelList(tx, actor.orgId, id, { models, modelsAt: now() });
    append(tx, actor, {
      ...about(row),
      action: "provider.updated",
      details: { ...about(row).details, models: models.length },
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
    const models = await fetchModels(row, { probe: true });
    const { length } = models;
    const message = `Connected. ${length === 1 ? "1 model" : `${length} models`} discovered.`;
    const problem = withoutModels(row, models);
    return { ok: problem === undefined, message: problem ?? message, latencyMs: latency(), models: length };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ok: false, message: error.message, latencyMs: latency(), models: null };
  }
}

/** A provider without any model can't be used, though it answers. */
const withoutModels = (row: ProviderRow, models: readonly ListedModel[]): string | undefined =>
  models.length > 0 || readConfig(row).models?.length
    ? undefined
    : `${row.displayName} answers, but lists no models. Enter their IDs under Additional models.`;

/** The provider is saved even if its list can't be fetched. */
async function tryRefreshModels(actor: Actor, id: string): Promise<Pick<Provider, "problem">> {
  try {
    await refreshModels(actor, id);
    const row = requireProvider(db(), actor, id);
    const problem = withoutModels(row, listedModels(row));
    return problem ? { problem } : {};
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

/** Timeouts in ms, as a user waits for the form. */
const LIST_OPTIONS = { firstByteMs: 10_000, betweenBytesMs: 5_000, retries: 1 };

const MAX_MODELS = 2000;

/** Trims, deduplicates and limits ids. */
function cleanModels(models: readonly ListedModel[]): ListedModel[] {
  const modelsById = new Map<string, ListedModel>();
  for (const model of models) {
    const id = model.id.trim();
    if (id.length > 0 && id.length <= 200 && !modelsById.has(id)) modelsById.set(id, { ...model, id });
  }
  return [...modelsById.values()].slice(0, MAX_MODELS);
}

/**
 * Fetches a provider's models.
 *
 * @param probe checks the key with a request first, since some lists are public
 * @throws AppError with the reason
 */
async function fetchModels(row: ProviderRow, { probe = false } = {}): Promise<ListedModel[]> {
  const type = requireType(row.type);
  const health = healthOf(row.id);
  const started = performance.now();
  try {
    const call = callFor({ row, type, config: readConfig(row) }, LIST_OPTIONS);
    if (probe) await type.probe?.(call);
    const models = cleanModels(await type.listModels(call));
    // Counts as a probe: a new provider isn't unknown.
    health.succeedProbe(Math.round(performance.now() - started));
    return models;
  } catch (error) {
    const explained = explainProviderError(error, { provider: row.displayName });
    health.failProbe(explained.message);
    throw explained;
  }
}

/**
 * Refreshes an organization's expired model lists. A failed list keeps the previous one.
 *
 * @param force also refreshes lists that are current
 */
export async function refreshProviderLists(orgId: string, force: boolean): Promise<void> {
  const due = enabledProviders(orgId).filter(
    (entry) =>
      hasRequiredKey(entry) &&
      (force || entry.row.modelsAt === null || !isCacheFresh(orgId, entry.row.modelsAt)),
  );
  await Promise.all(
    due.map(async ({ row }) => {
      try {
        const models = await fetchModels(row);
        transaction((tx) => {
          // It may have been removed during the request.
          if (findProviderRow(tx, orgId, row.id))
            saveModelList(tx, orgId, row.id, { models, modelsAt: now() });
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
    }),
  );
}

/** The selected key, else the first that matches the address. */
export function providerKeyUses(orgId: string): KeyUse[] {
  return listProviderRows(db(), orgId).flatMap((row) => {
    const entry = entryOf(row);
    const isAddressed = entry && (entry.config.baseUrl ?? entry.type.defaultBaseUrl);
    const keyId = isAddressed ? chosenKeyId(orgId, keyRequestOf(entry)) : undefined;
    return keyId ? [{ keyId, kind: "Provider", name: row.displayName, to: "/settings/providers" }] : [];
  });
}
