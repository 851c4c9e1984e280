import { canonicalId, listEmbeddingModels } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { db, vectorExtension } from "~/core/db.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { EMBEDDING_MODELS } from "~/platform/settings/groups/rag.schema";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import { keyOrigins } from "~/team/keys/keys.service.server";
import { describeHosts } from "./consent/describe-hosts";
import { embedderOf, storeOf, toView } from "./generations/index-view.server";
import { matchesTarget, NO_STORE, readTarget } from "./generations/target.server";
import { type IndexRow, listIndexes } from "./indexes.repo.server";
import type { EmbeddingChoice, EmbeddingChoices, RagStatus } from "./indexes.schema";
import { findStore } from "./stores/index.server";

function describeStore(active: IndexRow | undefined, target: ReturnType<typeof readTarget>) {
  const { storeProblem, storeHint, store } = target;
  const later = active?.store === NO_STORE && findStore(store)?.problem(active.orgId) === undefined;
  return later ? { storeProblem: null, storeHint: null } : { storeProblem, storeHint };
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
  if (active?.error) notices.push(`Semantic search is paused for some documents: ${active.error}`);
  return notices.filter((notice) => notice !== null);
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
    notices: noticesOf(indexes, target),
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

export function embeddingChoices(actor: Actor): EmbeddingChoices {
  authorise(actor, "screens.read");
  const offers = listEmbeddingModels(actor.orgId);
  const choice = (id: string): EmbeddingChoice => {
    const matches = offers.filter((offer) => offer.id === canonicalId(id));
    return {
      id,
      callable: matches.some(({ callable }) => callable),
      providers: [...new Set(matches.map(({ provider }) => provider))],
    };
  };
  const usual: readonly string[] = EMBEDDING_MODELS;
  const others = new Set(
    offers.filter(({ kind, id }) => kind === "embedding" && !usual.includes(id)).map(({ id }) => id),
  );
  return {
    usual: usual.map(choice),
    others: [...others].map(choice),
    litellm: keyOrigins(actor.orgId, "litellm").length > 0,
    openai: offers.some(({ providerType }) => providerType === "openai"),
    destinations: may(actor, "settings.manage") ? listHosts(actor.orgId) : [],
  };
}
