import { cachedByConfig } from "~/core/config-cache.server";
import { db } from "~/core/db.server";
import { type GuardedSend, guardedSend } from "~/core/egress/index.server";
import { classify, parseAddress } from "~/core/egress/policy.server";
import { AppError } from "~/core/errors";
import { readSetting } from "~/platform/settings/settings.service.server";
import { type KeyRequest, keyFor } from "~/team/keys/keys.service.server";
import { kindOfId } from "./model-families.server";
import {
  listAddedModels,
  listProviderRows,
  type ModelSettingsRow,
  type ProviderRow,
} from "./models.repo.server";
import { ListedModel, ModelRouting, ProviderConfig } from "./models.schema";
import { type FetchOptions, resilientFetch } from "./provider-client.service.server";
import { findProviderType } from "./providers/index.server";
import type { ProviderCall, ProviderType } from "./providers/provider-type.server";

export interface ProviderEntry {
  row: ProviderRow;
  type: ProviderType;
  config: ProviderConfig;
}

/** In ms; a running stream isn't cut before. */
const RESPONSE_TIMEOUT_MS = 30 * 60_000;
const SILENCE_MARGIN_MS = 60_000;
const MAX_RESPONSE_BYTES = 100_000_000;

/** Unknown settings of other versions are ignored. */
export function readConfig({ config }: Pick<ProviderRow, "config">): ProviderConfig {
  return ProviderConfig.safeParse(config).data ?? {};
}

/** Undefined for a type of another version. */
export function entryOf(row: ProviderRow): ProviderEntry | undefined {
  const type = findProviderType(row.type);
  return type && { row, type, config: readConfig(row) };
}

export function enabledProviders(orgId: string): ProviderEntry[] {
  return listProviderRows(db(), orgId).flatMap((row) => (row.enabled && entryOf(row)) || []);
}

export function baseUrlOf({ config, type }: Pick<ProviderEntry, "config" | "type">): string {
  const baseUrl = config.baseUrl ?? type.defaultBaseUrl;
  if (baseUrl) return baseUrl;
  throw new AppError(
    "provider_missing",
    `${type.label} needs an API address. Edit the provider and enter a base URL.`,
  );
}

function isNearbyHost(host: string): boolean {
  const address = parseAddress(host);
  if (address) return classify(address).reach === "internal";
  return !host.includes(".") || /\.(?:local|localhost|internal|lan|home\.arpa)$/.test(host);
}

// Parsing an address takes a tenth of a call's time.
const nearby = new WeakMap<ProviderEntry, boolean>();

/** Whether a provider runs on this host or in its network, by its address. */
function isNearby(entry: ProviderEntry): boolean {
  const known = nearby.get(entry) ?? isNearbyHost(new URL(baseUrlOf(entry)).hostname);
  nearby.set(entry, known);
  return known;
}

/** Times the usual silence that a model nearby may take before its answer: it loads, and reads without a data center. */
const NEARBY_FACTOR = 10;

/** How long an answer may keep silent, in ms: until its first byte, and within it. */
export function silenceOf(entry: ProviderEntry): { firstByteMs: number; betweenBytesMs: number } {
  const usual = readSetting(entry.row.orgId, "ai.timeout");
  const { firstByteTimeout, silenceTimeout } = entry.config;
  return {
    firstByteMs: firstByteTimeout ?? usual * (isNearby(entry) ? NEARBY_FACTOR : 1),
    betweenBytesMs: silenceTimeout ?? usual,
  };
}

/** @throws AppError `provider_missing` */
export function keyRequestOf(entry: ProviderEntry): KeyRequest {
  const { origin } = new URL(baseUrlOf(entry));
  return { kind: entry.type.keyKind, keyId: entry.config.keyId, origin };
}

/** @throws AppError `provider_key`, `provider_missing` */
export function keyOf(entry: ProviderEntry): string | undefined {
  const { row, type } = entry;
  const request = keyRequestOf(entry);
  const key = keyFor(row.orgId, request);
  if (key === undefined && type.keyRequired) {
    throw new AppError(
      "provider_key",
      `${row.displayName} has no API key. Add a key reference for ${request.origin} under Settings › API Keys.`,
    );
  }
  return key;
}

/** Why a provider has no key that it needs; undefined if it has. */
export function keyProblem(entry: ProviderEntry): string | undefined {
  try {
    keyOf(entry);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

export const hasRequiredKey = (entry: ProviderEntry): boolean => keyProblem(entry) === undefined;

/**
 * The key and a fetch through the egress guard, with timeouts and retries.
 * @throws AppError as `keyOf`
 */
export function callFor(
  entry: ProviderEntry,
  options: Pick<FetchOptions, "firstByteMs" | "betweenBytesMs" | "retries">,
): ProviderCall {
  const send = sendFor(entry, options);
  const { config } = entry;
  return { baseUrl: baseUrlOf(entry), apiKey: keyOf(entry), fetch: resilientFetch(send, options), config };
}

/** The provider's own address is allowed. */
export function sendFor(
  entry: ProviderEntry,
  { firstByteMs = 0, betweenBytesMs = 0 }: Pick<FetchOptions, "firstByteMs" | "betweenBytesMs">,
): GuardedSend {
  return guardedSend(`provider:${entry.type.value}`, {
    allowOrigins: [baseUrlOf(entry)],
    timeoutMs: RESPONSE_TIMEOUT_MS,
    // Ours fires first, as its message names the provider.
    silenceMs: Math.max(firstByteMs, betweenBytesMs) + SILENCE_MARGIN_MS,
    maxBytes: MAX_RESPONSE_BYTES,
    secretHeaders: ["x-api-key", "x-goog-api-key"],
    sendsTrace: true,
  });
}

/** The last list; older versions stored bare ids. */
export function listedModels(row: Pick<ProviderRow, "models">): ListedModel[] {
  return row.models.flatMap(
    (item) => ListedModel.safeParse(typeof item === "string" ? { id: item } : item).data ?? [],
  );
}

// Indexed: lists have hundreds of models, and every call needs one.
const lists = cachedByConfig(["models"], (orgId) => {
  const byProvider = new Map<string, ReadonlyMap<string, ListedModel>>();
  for (const row of listProviderRows(db(), orgId)) {
    byProvider.set(row.id, new Map(listedModels(row).map((model) => [model.id, model])));
  }
  return byProvider;
});

export function upstreamModel(orgId: string, providerId: string, modelId: string): ListedModel | undefined {
  return lists(orgId).get(providerId)?.get(modelId);
}

export function addedModel(row: ModelSettingsRow): ListedModel {
  const { modelId: id, name, description, maxTokens, capabilities } = row;
  const facts = { id, name, description, maxTokens, capabilities };
  const present = Object.entries(facts).filter(([, value]) => value !== null);
  return ListedModel.safeParse(Object.fromEntries(present)).data ?? { id };
}

/** Routing set by an admin; nothing of an unreadable one. */
export function readRouting({ routing }: Pick<ModelSettingsRow, "routing">): ModelRouting {
  return ModelRouting.safeParse(routing ?? {}).data ?? { fallbacks: [], targets: [] };
}

/** Manually entered ids, added models of the type, then the listed ones, deduplicated. */
export function modelsOf(row: ProviderRow): ListedModel[] {
  const models = new Map<string, ListedModel>();
  for (const id of readConfig(row).models ?? []) models.set(id, { id });
  for (const added of listAddedModels(db(), row.orgId, row.type)) {
    // With targets, only these providers serve it, whatever their type.
    if (readRouting(added).targets.length === 0) models.set(added.modelId, addedModel(added));
  }
  for (const model of listedModels(row)) models.set(model.id, { ...models.get(model.id), ...model });
  return [...models.values()].map((model) => ({
    ...model,
    kind: model.kind ?? kindOfId(model.id),
  }));
}

const VENDOR_PREFIX = /^(?:openai|anthropic|google)\/(?=[a-z])/;

/**
 * One id across providers: `openai/gpt-4o` is `gpt-4o`, `anthropic/claude-sonnet-4.5` is `claude-sonnet-4-5`. Others
 * are unchanged.
 */
export function canonicalId(id: string): string {
  const bare = id.replace(VENDOR_PREFIX, "");
  return bare !== id && bare.startsWith("claude-") ? bare.replaceAll(".", "-") : bare;
}
