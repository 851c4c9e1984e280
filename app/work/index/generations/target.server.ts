import { cachedByConfig } from "~/core/config-cache.server";
import { env } from "~/core/env.server";
import type { RagSettings } from "~/platform/settings/settings.schema";
import { isSettingChosen, readSettings } from "~/platform/settings/settings.service.server";
import { type Chunking, chunkSetKey } from "../chunking/chunk";
import { chooseEmbedder, EMBEDDER_TOPICS } from "../embedding/choose-embedder.server";
import type { Embedder } from "../embedding/embedder";
import { fitChunking } from "../embedding/model-limits";
import type { IndexRow } from "../indexes.repo.server";
import { findStore } from "../stores/index.server";

export interface IndexTarget {
  /** As the settings have it: a model that reads less gets smaller chunks. */
  chunking: Chunking;
  embedder: Pick<Embedder, "key" | "kind" | "model"> | null;
  store: string;
}

interface DesiredIndex extends IndexTarget {
  embedder: Embedder | null;
  embedderProblem: string | null;
  storeProblem: string | null;
  /** Replaces `storeProblem` if the store is only the default. */
  storeHint: string | null;
}

export const NO_STORE = "none";
export const OWN_STORE = "sqlite";

const QDRANT_HINT = "Qdrant needs QDRANT_URL. Using the built-in SQLite index until then.";

const STORE_OF_MODE: Record<RagSettings["ragVectorMode"], string> = {
  off: NO_STORE,
  sqlite: OWN_STORE,
  qdrant: "qdrant",
  "qdrant-cloud": "qdrant",
};

function desiredIndex(orgId: string): DesiredIndex {
  const settings = readSettings(orgId, "rag");
  const target = {
    chunking: { target: settings.chunkTokens, overlap: settings.chunkOverlap },
  };
  const { embedder, problem } = chooseEmbedder(orgId);
  const store = STORE_OF_MODE[settings.ragVectorMode];
  if (!embedder || store === NO_STORE) {
    const noProblem = { embedderProblem: null, storeProblem: null, storeHint: null };
    return { ...target, ...noProblem, embedder: null, store: NO_STORE };
  }
  const chosenProblem = findStore(store)?.problem(orgId);
  const isOwn = store === OWN_STORE;
  const ownProblem = isOwn || !chosenProblem ? chosenProblem : findStore(OWN_STORE)?.problem(orgId);
  const isReplaced = !isOwn && chosenProblem !== undefined && !ownProblem;
  const problems = [
    isOwn ? undefined : chosenProblem,
    ownProblem,
    isReplaced ? "Using the built-in SQLite index instead." : undefined,
  ];
  return {
    ...target,
    embedder,
    store: chosenProblem ? OWN_STORE : store,
    embedderProblem: problem,
    storeProblem: problems.filter(Boolean).join(" ") || null,
    storeHint:
      isReplaced && !env().QDRANT_URL && !isSettingChosen(orgId, "rag.ragVectorMode") ? QDRANT_HINT : null,
  };
}

export const readTarget = cachedByConfig(EMBEDDER_TOPICS, desiredIndex);

export function matchesTarget({ chunkSet, space, store }: IndexRow, target: IndexTarget): boolean {
  return (
    chunkSet.key === chunkSetKey(fitChunking(target.chunking, space?.maxTokens ?? null)) &&
    (space?.key ?? null) === (target.embedder?.key ?? null) &&
    store === target.store
  );
}
