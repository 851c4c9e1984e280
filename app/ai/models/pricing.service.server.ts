import { findProvider } from "@pydantic/genai-prices";
import type { Actor } from "~/core/actor";
import { cachedByConfig } from "~/core/config-cache.server";
import { type Db, db } from "~/core/db.server";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { plausibleCount, recordUsage, type UsageInput } from "~/team/usage/usage.service.server";
import { listModelSettings, type ModelSettingsRow } from "./models.repo.server";
import type { ListedModel } from "./models.schema";
import { costByPriceList, listFacts, listMinutePrice, type PricedTokens } from "./price-list.server";
import {
  baseUrlOf,
  canonicalId,
  type ProviderEntry,
  readRouting,
  upstreamModel,
} from "./provider-entry.server";
import { findProviderType } from "./providers/index.server";

export interface PricedModel {
  model: string;
  /** The requested id, if different. */
  requestedModel?: string | undefined;
  providerId: string | null;
  providerType: string;
  /** The provider's price list; by its type if undefined, none if null. */
  pricing?: string | null | undefined;
}

/** A model as it is listed: at one provider, or at any of its type. */
type ListedAt = Omit<PricedModel, "providerId"> & Partial<Pick<PricedModel, "providerId">>;

/** US dollars per 1,000 tokens, with their source. */
export interface TokenPrice {
  cost: { input: number; output: number };
  source: "admin" | "local" | "provider" | "list";
}

/** A price that overrides the dated list; cached input costs as the rest where it has none of its own. */
type OverridingPrice = TokenPrice & { cost: NonNullable<ListedModel["cost"]> };

export type SettingsById = ReadonlyMap<string, ModelSettingsRow>;

export const settingsById = cachedByConfig<SettingsById>(
  ["models"],
  (orgId) => new Map(listModelSettings(db(), orgId).map((row) => [row.modelId, row])),
);

/** A provider's price list: its type's, else by its address, such as Groq's for `https://api.groq.com/openai/v1`. */
export function pricingFor(entry: ProviderEntry): string | null {
  return entry.type.pricing ?? findProvider({ providerApiUrl: baseUrlOf(entry) })?.id ?? null;
}

function pricingOf({ pricing, providerType }: ListedAt): string | null {
  return pricing === undefined ? (findProviderType(providerType)?.pricing ?? null) : pricing;
}

/** Whether a custom model's settings apply to a provider: a target, or without targets one of its type. */
export function appliesTo(settings: ModelSettingsRow, priced: ListedAt): boolean {
  if (settings.source !== "custom") return true;
  const { model, providerType, providerId } = priced;
  const { targets } = readRouting(settings);
  if (targets.length === 0) return settings.providerType === null || settings.providerType === providerType;
  return targets.some(
    (target) => target.model === model && (providerId === undefined || target.providerId === providerId),
  );
}

/** What is counted beside tokens, with an admin's price of so many of it. */
const UNITS = [
  { counted: "searchUnits", price: "searchUnitCost", per: 1000 },
  { counted: "images", price: "imageCost", per: 1 },
  { counted: "audioSeconds", price: "audioMinuteCost", per: 60 },
  { counted: "characters", price: "characterCost", per: 1_000_000 },
] as const;

/** An admin's price of a unit, in US dollars; undefined if it has none. */
function unitPrice(
  priced: ListedAt,
  settings: SettingsById,
  column: (typeof UNITS)[number]["price"],
): number | undefined {
  const { model, requestedModel = model } = priced;
  const entries = [requestedModel, model].map((id) => settings.get(canonicalId(id)));
  const entry = entries.find((one) => one && one[column] !== null && appliesTo(one, priced));
  return entry?.[column] ?? undefined;
}

/** In millionths of a US dollar: undefined without a price, null if nothing that has one is counted. */
function unitCost(
  priced: PricedModel,
  settings: SettingsById,
  counted: CountedTokens,
  minutePrice: number | undefined,
): number | null | undefined {
  const costs = UNITS.flatMap(({ counted: name, price: column, per }) => {
    const listed = name === "audioSeconds" ? minutePrice : undefined;
    const price = unitPrice(priced, settings, column) ?? listed;
    if (!price) return [];
    // Only calls that make images count them.
    const count = plausibleCount(counted[name] ?? (name === "images" ? 0 : null));
    return [count === null ? null : Math.round((price * count * 1e6) / per)];
  });
  const known = costs.filter((cost) => cost !== null);
  if (known.length > 0) return known.reduce((total, cost) => total + cost, 0);
  return costs.length > 0 ? null : undefined;
}

/** Prices that override the list: an admin's, zero for local hardware, the provider's. */
function overridingPrice(
  priced: ListedAt,
  settings: SettingsById,
  own: ListedModel["cost"],
): OverridingPrice | undefined {
  const { model, requestedModel = model, providerType } = priced;
  for (const id of [requestedModel, model]) {
    const entry = settings.get(canonicalId(id));
    if (!entry || entry.inputCost === null || entry.outputCost === null) continue;
    if (!appliesTo(entry, priced)) continue;
    return { cost: { input: entry.inputCost, output: entry.outputCost }, source: "admin" };
  }
  if (providerType === "built-in" || findProviderType(providerType)?.local) {
    return { cost: { input: 0, output: 0 }, source: "local" };
  }
  return own && { cost: own, source: "provider" };
}

/**
 * A model's price at a provider, as it is shown: an admin's price overrides the provider's own list, which overrides
 * the dated list of `@pydantic/genai-prices`. Null if unknown.
 * @param own the price in the provider's list
 */
export function costOf(
  priced: ListedAt,
  settings: SettingsById,
  own: ListedModel["cost"],
): TokenPrice | null {
  const override = overridingPrice(priced, settings, own);
  if (override) {
    const { input, output } = override.cost;
    return { cost: { input, output }, source: override.source };
  }
  const pricing = pricingOf(priced);
  const cost = pricing === null ? null : listFacts(pricing, priced.model)?.cost;
  return cost ? { cost, source: "list" } : null;
}

type Count = number | null | undefined;

/** As counted by the provider. Cache reads and writes are part of the input. */
export interface CountedTokens {
  input: Count;
  output: Count;
  cacheRead?: Count;
  cacheWrite?: Count;
  /** Of the cache writes, those for an hour. */
  cacheWrite1h?: Count;
  /** What rerankers count. */
  searchUnits?: Count;
  images?: Count;
  audioSeconds?: Count;
  characters?: Count;
  /** Of the input, its audio. */
  audioTokens?: Count;
}

/**
 * Cost in millionths of a US dollar; null if the price or a count is unknown or implausible. List prices may be
 * conditional, others are flat. Other units with a price are part of it.
 */
export function priceFor(orgId: string, priced: PricedModel, counted: CountedTokens): number | null {
  const { model, providerId } = priced;
  const settings = settingsById(orgId);
  const own = providerId ? upstreamModel(orgId, providerId, model)?.cost : undefined;
  const override = overridingPrice(priced, settings, own);
  const pricing = pricingOf(priced);
  const minutePrice = override || pricing === null ? undefined : listMinutePrice(pricing, model);
  const units = unitCost(priced, settings, counted, minutePrice);
  const tokens = tokenCost(priced, override, counted);
  if (units === undefined) return isUnpricedAudio(counted, override) ? null : tokens;
  return tokens === null || units === null ? null : tokens + units;
}

const isFree = (override: TokenPrice | undefined) =>
  override !== undefined && override.cost.input === 0 && override.cost.output === 0;

/** Audio without tokens isn't free for that. */
function isUnpricedAudio(counted: CountedTokens, override: TokenPrice | undefined): boolean {
  const { audioSeconds, characters, input, output } = counted;
  const isAudio = audioSeconds != null || characters != null;
  return isAudio && !input && !output && !isFree(override);
}

/** Whether tokens of a model have a price that isn't zero. */
export function isTokenPriced(orgId: string, priced: PricedModel): boolean {
  const { model, providerId } = priced;
  const own = providerId ? upstreamModel(orgId, providerId, model)?.cost : undefined;
  const { input = 0, output = 0 } = costOf(priced, settingsById(orgId), own)?.cost ?? {};
  return input > 0 || output > 0;
}

/** Some providers report more cached than input tokens. */
function flatCost(
  { cost }: OverridingPrice,
  counts: Required<Omit<PricedTokens, "audio" | "cacheWrite1h">>,
): number {
  const read = Math.min(counts.cacheRead, counts.input);
  const written = Math.min(counts.cacheWrite, counts.input - read);
  const cached = (cost.cacheRead ?? cost.input) * read + (cost.cacheWrite ?? cost.input) * written;
  const rest = cost.input * (counts.input - read - written) + cost.output * counts.output;
  // Dollars per thousand times tokens are thousandths of a dollar.
  return Math.round((cached + rest) * 1000);
}

function tokenCost(
  priced: PricedModel,
  override: OverridingPrice | undefined,
  tokens: CountedTokens,
): number | null {
  const { model } = priced;
  if (isFree(override)) return 0;
  // The package that knows the list throws for implausible counts.
  const [input, output] = [plausibleCount(tokens.input), plausibleCount(tokens.output)];
  if (input === null || output === null) return null;
  if (input === 0 && output === 0) return 0;
  const cacheRead = plausibleCount(tokens.cacheRead) ?? 0;
  const cacheWrite = plausibleCount(tokens.cacheWrite) ?? 0;
  if (override) return flatCost(override, { input, output, cacheRead, cacheWrite });
  const pricing = pricingOf(priced);
  if (pricing === null) return null;
  const cacheWrite1h = plausibleCount(tokens.cacheWrite1h) ?? 0;
  const audio = plausibleCount(tokens.audioTokens) ?? 0;
  const counts = { input, output, cacheRead, cacheWrite, cacheWrite1h, audio };
  const dollars = costByPriceList(pricing, model, counts);
  return dollars === null ? null : Math.round(dollars * 1e6);
}

export interface ModelCall extends Omit<UsageInput, "costMicros"> {
  /** Price list (`RouteTarget.pricing`); by type if absent. */
  pricing?: string | null | undefined;
  /** Requested id, if different (`RouteTarget.requestedModel`). */
  requestedModel?: string | undefined;
  /** Cache reads and writes, parts of the input. */
  cacheReadTokens?: number | null | undefined;
  cacheWriteTokens?: number | null | undefined;
  /** Of the cache writes, those for an hour. */
  cacheWrite1hTokens?: number | null | undefined;
  /** Audio, part of the input. */
  audioTokens?: number | null | undefined;
}

/** The id under which a call is recorded, which its provider's own id doesn't change. @param requested where none was reached */
export const recordedModel = (
  target: { requestedModel?: string | undefined } | undefined,
  requested: string,
): string => canonicalId(target?.requestedModel ?? requested);

type CalledModel = Omit<PricedModel, "model"> & { modelId: string };

/** Where a call went, else where it was tried last, for its record. @param model where no provider was reached */
export function calledAt(target: CalledModel | undefined, { attempts }: RouteRecord, model: string) {
  const last = attempts.at(-1);
  return {
    providerId: target?.providerId ?? last?.providerId ?? null,
    providerType: target?.providerType ?? last?.providerType ?? "unknown",
    model: target?.modelId ?? model,
    ...(target && { pricing: target.pricing, requestedModel: target.requestedModel }),
  };
}

type Caller = Pick<Actor, "orgId" | "userId" | "tokenId">;

/** A call's cost in millionths of a US dollar; null if unknown. */
export const costOfCall = (orgId: string, call: ModelCall): number | null =>
  priceFor(orgId, call, {
    input: call.inputTokens,
    output: call.outputTokens,
    cacheRead: call.cacheReadTokens,
    cacheWrite: call.cacheWriteTokens,
    cacheWrite1h: call.cacheWrite1hTokens,
    searchUnits: call.searchUnits,
    images: call.images,
    audioSeconds: call.audioSeconds,
    characters: call.characters,
    audioTokens: call.audioTokens,
  });

/** Records a call with its price, within the answer's transaction. @returns the usage record's id */
export function recordCall(
  tx: Db,
  actor: Caller,
  call: ModelCall,
  costMicros = costOfCall(actor.orgId, call),
): string {
  return recordUsage(tx, actor, { ...call, model: recordedModel(call, call.model), costMicros });
}
