import { canonicalId, listEmbeddingModels } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { db, vectorExtension } from "~/core/db.server";
import { env } from "~/core/env.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { EMBEDDING_MODELS } from "~/platform/settings/groups/rag.schema";
import { readSettings } from "~/platform/settings/settings.service.server";
import { keyOrigins } from "~/team/keys/keys.service.server";
import { chunkingOf } from "./chunking/chunk";
import { labelOf } from "./embedding/choose-embedder.server";
import { BUILTIN } from "./embedding/embedder";
import { fitChunking, knownLimit } from "./embedding/model-limits";
import { indexLag } from "./generations/pending-work.server";
import { LOST } from "./generations/put-chunks.server";
import { type IndexTarget, matchesTarget, NO_STORE, readTarget } from "./generations/target.server";
import { type IndexRow, LIVE, listIndexes } from "./indexes.repo.server";
import { INDEX_STATES, type RagStatus, type SearchIndex } from "./indexes.schema";
import { findStore } from "./stores/index.server";
import { qdrantState } from "./stores/qdrant-client.server";

function describeStore(active: IndexRow | undefined, target: ReturnType<typeof readTarget>) {
  const { storeProblem, storeHint, store } = target;
  const later = active?.store === NO_STORE && findStore(store)?.problem(active.orgId) === undefined;
  return later ? { storeProblem: null, storeHint: null } : { storeProblem, storeHint };
}

function nextOf(active: IndexRow | undefined, target: IndexTarget, embedder: RagStatus["embedder"]) {
  if (!active || matchesTarget(active, target) || findStore(target.store)?.problem(active.orgId)) return null;
  return { store: storeOf(target.store), embedder };
}

function noticesOf(indexes: readonly IndexRow[], target: ReturnType<typeof readTarget>): string[] {
  const active = indexes.find(({ state }) => state === "serving");
  const { storeHint, storeProblem } = describeStore(active, target);
  const notices = [target.embedderProblem, storeHint ? null : storeProblem];
  const stopped = indexes.find(
    (index) => (index.state === "cancelled" || index.state === "failed") && matchesTarget(index, target),
  );
  if (active && stopped && !matchesTarget(active, target)) {
    const outcome = stopped.state === "cancelled" ? "was canceled" : "failed";
    notices.push(`The index for the current settings ${outcome}. Press Rebuild to start again.`);
  }
  const pending = indexes.find(
    ({ state, store, error }) => state === "building" && store === SERVER && error,
  );
  if (pending) notices.push(`The index for the current settings has to wait: ${pending.error}`);
  if (active?.isLost) notices.push(`Only keywords are searched. ${LOST}`);
  else if (active?.store === SERVER && qdrantState().isPaused)
    notices.push("Only keywords are searched, since Qdrant doesn't answer.");
  else if (active?.error) notices.push(`Semantic search is paused for some documents: ${active.error}`);
  return notices.filter((notice) => notice !== null);
}

const SERVER = "qdrant";

/** The state of Qdrant, if an index is in it or on the way there. */
function serverOf(indexes: readonly IndexRow[], showsError: boolean): RagStatus["server"] {
  const served = indexes.filter(({ store, state }) => store === SERVER && LIVE.includes(state));
  if (served.length === 0) return null;
  const { isPaused, error, failingSince } = qdrantState();
  return {
    state: isPaused ? "paused" : error === null ? "ok" : "failing",
    error: showsError ? error : null,
    since: failingSince === null ? null : new Date(failingSince).toISOString(),
    lagMs: Math.max(...served.map(({ id }) => indexLag(id))),
  };
}

/** What an operator watches of the organization's Qdrant; null if it isn't in use. */
export function vectorServerState(orgId: string) {
  const indexes = listIndexes(db(), orgId);
  const server = serverOf(indexes, true);
  const active = indexes.find(({ state, store }) => state === "serving" && store === SERVER);
  const isLost = active?.isLost ?? false;
  return (
    server && { ...server, isLost, recall: active?.recall ?? null, isWell: server.state === "ok" && !isLost }
  );
}

/** What the chunks have to do with how much of a text the model reads. */
function chunkNoticeOf({ space, chunkSet }: IndexRow, { chunking }: IndexTarget): string | null {
  if (space?.kind !== "model") return null;
  const known = knownLimit(space.model);
  const { target } = chunkingOf(chunkSet.key);
  if (target < chunking.target && space.maxTokens !== null)
    return `${space.model} reads ${known === null ? "about " : ""}${space.maxTokens} tokens at once, so chunks have at most ${target}.`;
  if (space.maxTokens === null && known !== null && fitChunking(chunking, known).target < target)
    return `${space.model} reads ${known} tokens at once, and chunks of ${target} can have more. Rebuild the index for shorter ones.`;
  return null;
}

export function ragStatus(actor: Actor): RagStatus {
  authorise(actor, "screens.read");
  const { orgId } = actor;
  const indexes = listIndexes(db(), orgId);
  const active = indexes.find(({ state }) => state === "serving");
  const target = readTarget(orgId);
  const { kind, label, model } = target.embedder ?? {};
  const targetEmbedder = kind && label && model ? { kind, label, model } : null;
  return {
    enabled: readSettings(orgId, "rag").ragEnabled,
    store: storeOf(active?.store ?? target.store),
    ...describeStore(active, target),
    embedder: active ? embedderOf(active) : targetEmbedder,
    next: nextOf(active, target, targetEmbedder),
    notices: noticesOf(indexes, target),
    chunkNotice: active ? chunkNoticeOf(active, target) : null,
    server: serverOf(indexes, may(actor, "settings.manage")),
    vectorExtension: vectorExtension(),
    indexes: indexes.flatMap((index) => toView(index, may(actor, "settings.manage"))),
  };
}

function listHosts(orgId: string): string[] {
  const available = listEmbeddingModels(orgId).filter((offer) => offer.callable && offer.baseUrl);
  return describeHosts([
    ...available.map(({ provider, baseUrl }) => ({ provider, host: new URL(baseUrl ?? "").host })),
    ...keyOrigins(orgId, "litellm").map((origin) => ({ provider: "LiteLLM", host: new URL(origin).host })),
  ]);
}

/** The usual embedding models, others that providers offer, the hosts that would be called, and whether Qdrant can be. */
export function embeddingChoices(actor: Actor) {
  authorise(actor, "screens.read");
  const offers = listEmbeddingModels(actor.orgId);
  const ids = offers.filter(({ kind }) => kind === "embedding").map(({ id }) => id);
  const models = [...new Set<string>([...EMBEDDING_MODELS, ...ids])].map((id) => ({
    id,
    isCallable: offers.some((offer) => offer.id === canonicalId(id) && offer.callable),
  }));
  const hosts = may(actor, "settings.manage") ? listHosts(actor.orgId) : [];
  return { models, hosts, hasQdrant: env().QDRANT_URL !== undefined };
}

interface ProviderHost {
  provider: string;
  host: string;
}

/** One entry per host, such as "Team server, GPU room and 3 more at 10.0.0.5:8000". */
export function describeHosts(providers: readonly ProviderHost[]): string[] {
  const hosts = new Set(providers.map(({ host }) => host));
  return [...hosts].map((host) => {
    const here = providers.filter((one) => one.host === host).map(({ provider }) => provider);
    const names = [...new Set(here)];
    const more = names.length - 2;
    return `${names.slice(0, 2).join(", ")}${more > 0 ? ` and ${more} more` : ""} at ${host}`;
  });
}

const storeOf = (store: string): SearchIndex["store"] =>
  store === "sqlite" || store === "qdrant" ? store : "none";

const embedderOf = ({ space }: Pick<IndexRow, "space">) =>
  space && {
    kind: space.kind,
    label: labelOf(space),
    // Indexes of older versions use another name.
    model: space.kind === BUILTIN.kind ? BUILTIN.model : space.model,
  };

/** Percentages, so that the total number of chunks isn't revealed. */
function toPercentages({ done, total }: Pick<IndexRow, "done" | "total">) {
  return {
    done: total > 0 ? Math.floor((Math.min(done, total) / total) * 100) : 0,
    total: total > 0 ? 100 : 0,
  };
}

/**
 * An index as the API shows it; undefined if it is being removed.
 * @param exact whether the actor may see chunk counts
 */
export function toView(row: IndexRow, canSeeCounts: boolean): SearchIndex[] {
  const state = INDEX_STATES.find((one) => one === row.state);
  if (!state) return [];
  const { target: chunkTokens, overlap: chunkOverlap } = chunkingOf(row.chunkSet.key);
  return [
    {
      id: String(row.id),
      state,
      store: storeOf(row.store),
      embedder: embedderOf(row),
      chunkTokens,
      chunkOverlap,
      ...(canSeeCounts ? { done: row.done, total: row.total } : toPercentages(row)),
      error: row.error,
      recall: row.recall,
      createdAt: new Date(row.createdAt).toISOString(),
      servedAt: row.servedAt === null ? null : new Date(row.servedAt).toISOString(),
    },
  ];
}
