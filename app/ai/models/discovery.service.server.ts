import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { MAX_LIST_VALUES, parseJson } from "~/core/json";
import { log } from "~/core/log.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { isCacheFresh } from "~/platform/settings/caches.service.server";
import { orgTimeZone } from "~/platform/settings/read-settings.service.server";
import { type DiscoverInput, type Discovery, HUB_LABELS, type Hub, type HubModel } from "./catalogue.schema";
import { listDiscoveringOrgs } from "./discovery.repo.server";
import { type DiscoveredModel, listDiscovered, replaceDiscovered } from "./hub-models.server";
import type { ModelHub } from "./hubs/hub";
import { hubs } from "./hubs/index.server";
import { listProviderOrgs } from "./models.repo.server";
import { refreshProviderLists } from "./provider-lists.server";

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

function addressOf(hub: Hub): { baseUrl: string; allowOrigins: string[] } {
  const { HUGGINGFACE_HUB_URL, OPENROUTER_HUB_URL } = env();
  const configured = { huggingface: HUGGINGFACE_HUB_URL, openrouter: OPENROUTER_HUB_URL }[hub];
  const defaults = { huggingface: "https://huggingface.co", openrouter: "https://openrouter.ai" }[hub];
  // An operator's mirror may be private; the hubs must be public.
  return { baseUrl: configured ?? defaults, allowOrigins: configured ? [configured] : [] };
}

async function fetchList({ hub, path, parse }: ModelHub): Promise<readonly HubModel[]> {
  const { baseUrl, allowOrigins } = addressOf(hub);
  const fetchHub = guardedFetch(`hub:${hub}`, { ...LIMITS, allowOrigins });
  const response = await fetchHub(baseUrl + path, { headers: { accept: "application/json" } });
  const body = await response.text();
  if (!response.ok) throw new Error(`The hub returned HTTP ${response.status}`);
  const ids = new Set<string>();
  const models = parse(parseJson(body, MAX_LIST_VALUES)).filter(({ id }) => !ids.has(id) && ids.add(id));
  if (models.length === 0) throw new Error("The hub returned no models");
  return models.slice(0, MAX_MODELS);
}

async function discoverHub(hub: ModelHub): Promise<HubResult> {
  try {
    return { hub: hub.hub, models: await fetchList(hub), fetchedAt: now() };
  } catch (failure) {
    log.warn("could not fetch a model hub's list", { hub: hub.hub, error: failure });
    return { hub: hub.hub, models: hub.fallback, failure, fetchedAt: now() };
  }
}

/** A failed hub keeps the list that it gave before. */
function keepList(result: HubResult, stored: readonly DiscoveredModel[]): HubResult {
  const [first] = stored;
  if (result.failure === undefined || !first || first.fallback) return result;
  return { ...result, models: stored, isKept: true, fetchedAt: first.fetchedAt };
}

function isFresh(orgId: string, models: readonly DiscoveredModel[]): boolean {
  const [first] = models;
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
      ...(result.failure === undefined ? {} : { message: failureMessage(orgId, result) }),
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
  const discovered = listDiscovered(actor.orgId);
  const stored = (hub: Hub) => discovered.filter((model) => model.hub === hub);
  const due = hubs.filter(({ hub }) => refresh || !isFresh(actor.orgId, stored(hub)));
  const [results] = await Promise.all([
    Promise.all(due.map(async (hub) => keepList(await discoverHub(hub), stored(hub.hub)))),
    refreshProviderLists(actor.orgId, { force: refresh }),
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
      for (const { hub, models, failure, fetchedAt, isKept } of results) {
        if (isKept) continue;
        const fallback = failure !== undefined;
        replaceDiscovered(tx, actor.orgId, { hub, models, fallback, fetchedAt });
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
  return toDiscovery(
    actor.orgId,
    hubs.map(({ hub }) => {
      const models = stored(hub);
      return (
        results.find((result) => result.hub === hub) ?? {
          hub,
          models,
          fetchedAt: models[0]?.fetchedAt ?? now(),
        }
      );
    }),
  );
}

/** Refreshes expired lists; a failed one keeps the previous. */
export async function refreshDiscovered(): Promise<void> {
  for (const orgId of listProviderOrgs(db())) await refreshProviderLists(orgId, { force: false });
  for (const orgId of listDiscoveringOrgs(db())) {
    const discovered = listDiscovered(orgId);
    for (const hub of hubs) {
      const stored = discovered.filter((model) => model.hub === hub.hub);
      if (stored.length === 0 || isFresh(orgId, stored)) continue;
      const { models, failure, fetchedAt } = await discoverHub(hub);
      if (failure !== undefined) continue;
      transaction((tx) => replaceDiscovered(tx, orgId, { hub: hub.hub, models, fallback: false, fetchedAt }));
    }
  }
}
