import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { MAX_LIST_VALUES, parseJson } from "~/core/parse";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { isCacheFresh } from "~/platform/settings/caches.service.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import type { DiscoverInput, Discovery, HubModel } from "./catalogue.schema";
import { hubs, type ModelHub } from "./hubs.server";
import { HUB_LABELS, type Hub } from "./model-options.shared";
import {
  type DiscoveredModel,
  listDiscovered,
  listDiscoveringOrgs,
  listProviderOrgs,
  replaceDiscovered,
} from "./models.repo.server";
import { refreshProviderLists } from "./providers.service.server";

/** The contract's limit (section 7). */
const MAX_MODELS = 20;
/** About a megabyte, while a user waits. */
const LIMITS = { timeoutMs: 10_000, silenceMs: 8_000, maxBytes: 4_000_000 };

interface HubResult {
  hub: Hub;
  models: readonly HubModel[];
  failure?: unknown;
  /** Whether the list of before is kept in place of the fallback. */
  isKept?: true;
  fetchedAt: number;
}

/** An operator's mirror, which may be private; the hubs must be public. */
function mirrorOf(hub: Hub): string | undefined {
  const { HUGGINGFACE_HUB_URL, OPENROUTER_HUB_URL } = env();
  return { huggingface: HUGGINGFACE_HUB_URL, openrouter: OPENROUTER_HUB_URL }[hub];
}

async function fetchList({ hub, baseUrl, path, parse }: ModelHub): Promise<readonly HubModel[]> {
  const mirror = mirrorOf(hub);
  const fetchHub = guardedFetch(`hub:${hub}`, { ...LIMITS, allowOrigins: mirror ? [mirror] : [] });
  const response = await fetchHub((mirror ?? baseUrl) + path, { headers: { accept: "application/json" } });
  const body = await response.text();
  if (!response.ok) throw new Error(`The hub returned HTTP ${response.status}`);
  const ids = new Set<string>();
  const models = parse(parseJson(body, MAX_LIST_VALUES)).filter(({ id }) => !ids.has(id) && ids.add(id));
  if (models.length === 0) throw new Error("The hub returned no models");
  return models.slice(0, MAX_MODELS);
}

/** A failed hub keeps the list that it gave before, else it has the fallback. */
async function discoverHub(hub: ModelHub, stored: readonly DiscoveredModel[]): Promise<HubResult> {
  try {
    return { hub: hub.hub, models: await fetchList(hub), fetchedAt: now() };
  } catch (failure) {
    log.warn("could not fetch a model hub's list", { hub: hub.hub, error: failure });
    const [first] = stored;
    if (!first || first.fallback) return { hub: hub.hub, models: hub.fallback, failure, fetchedAt: now() };
    return { hub: hub.hub, models: stored, failure, isKept: true, fetchedAt: first.fetchedAt };
  }
}

function isFresh(orgId: string, [first]: readonly DiscoveredModel[]): boolean {
  return first !== undefined && !first.fallback && isCacheFresh(orgId, first.fetchedAt);
}

function failureMessage(orgId: string, { hub, isKept, fetchedAt }: HubResult): string {
  const failed = `Failed to fetch models from ${HUB_LABELS[hub]}.`;
  if (!isKept) return `${failed} Using fallback models.`;
  const time = new Intl.DateTimeFormat("en-US", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: orgTimeZone(orgId),
  });
  return `${failed} Keeping the list of ${time.format(fetchedAt)}.`;
}

function toDiscovery(orgId: string, results: readonly HubResult[]): Discovery {
  return {
    hubs: results.map((result) => ({
      hub: result.hub,
      count: result.models.length,
      failed: result.failure !== undefined,
      fetchedAt: new Date(result.fetchedAt).toISOString(),
      message: result.failure === undefined ? undefined : failureMessage(orgId, result),
    })),
  };
}

/**
 * Refreshes lists of hubs and providers, using cached ones unless `refresh` is set. Unreachable hubs keep the list they
 * had, else fall back to built-in models, with a message.
 * @throws AppError `unavailable` if the egress policy blocks all of them
 */
export async function discoverModels(
  actor: Actor,
  { refresh }: DiscoverInput = { refresh: false },
): Promise<Discovery> {
  authorise(actor, "providers.manage");
  const discovered = listDiscovered(db(), actor.orgId);
  const stored = (hub: Hub) => discovered.filter((model) => model.hub === hub);
  const due = hubs.filter(({ hub }) => refresh || !isFresh(actor.orgId, stored(hub)));
  const [results] = await Promise.all([
    Promise.all(due.map((hub) => discoverHub(hub, stored(hub.hub)))),
    refreshProviderLists(actor.orgId, refresh),
  ]);
  const isEgressRefusal = ({ failure }: HubResult) =>
    failure instanceof AppError && failure.code === "egress_refused";
  if (results.length > 0 && results.length === hubs.length && results.every(isEgressRefusal)) {
    throw new AppError("unavailable", "Failed to discover models from external providers", {
      cause: results[0]?.failure,
    });
  }
  if (results.length > 0) {
    transaction((tx) => {
      for (const result of results.filter(({ isKept }) => !isKept)) {
        replaceDiscovered(tx, actor.orgId, { ...result, fallback: result.failure !== undefined });
      }
      append(tx, actor, {
        action: "models.discovered",
        resource: "models",
        details: Object.fromEntries(
          results.map(({ hub, models, failure }) => [hub, failure ? "failed" : models.length]),
        ),
      });
    });
  }
  const all = hubs.map(({ hub }): HubResult => {
    const models = stored(hub);
    const cached = { hub, models, fetchedAt: models[0]?.fetchedAt ?? now() };
    return results.find((result) => result.hub === hub) ?? cached;
  });
  return toDiscovery(actor.orgId, all);
}

/** Refreshes expired lists; a failed one keeps the previous. */
export async function refreshDiscovered(): Promise<void> {
  for (const orgId of listProviderOrgs(db())) await refreshProviderLists(orgId, false);
  for (const orgId of listDiscoveringOrgs(db())) {
    const discovered = listDiscovered(db(), orgId);
    for (const hub of hubs) {
      const stored = discovered.filter((model) => model.hub === hub.hub);
      if (stored.length === 0 || isFresh(orgId, stored)) continue;
      const result = await discoverHub(hub, stored);
      if (result.failure !== undefined) continue;
      transaction((tx) => replaceDiscovered(tx, orgId, { ...result, fallback: false }));
    }
  }
}
