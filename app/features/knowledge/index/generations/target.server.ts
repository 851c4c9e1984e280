import { cachedByConfig } from "~/core/config-cache.server";
import { env } from "~/core/env.server";
import { isSettingChosen, readSettings } from "~/features/settings/read-settings.service.server";
import type { RagSettings } from "~/features/settings/settings.schema";
import { chunkSetKey } from "../../chunking/chunk";
import { chooseEmbedder, EMBEDDER_TOPICS } from "../embedding/choose-embedder.server";
import type { Embedder } from "../embedding/embedder";
import type { IndexRow } from "../indexes.repo.server";
import { findStore } from "../stores/index.server";

export interface IndexTarget {
  chunkSetKey: string;
  embedder: Embedder | null;
  store: string;
}

interface DesiredIndex extends IndexTarget {
  held: boolean;
  embedderProblem: string | null;
  storeProblem: string | null;
  /** Used instead if the store is only the default. */
  storeHint: string | null;
}

export const NO_STORE = "none";
export const OWN_STORE = "sqlite";

const QDRANT_LATER = "Qdrant needs QDRANT_URL. Using the built-in SQLite index until then.";

const STORE_OF_MODE: Record<RagSettings["ragVectorMode"], string> = {
  off: NO_STORE,
  sqlite: OWN_STORE,
  qdrant: "qdrant",
  "qdrant-cloud": "qdrant",
};

function want(orgId: string): DesiredIndex {
  const settings = readSettings(orgId, "rag");
  const target = {
    chunkSetKey: chunkSetKey({ target: settings.chunkTokens, overlap: settings.chunkOverlap }),
    held: settings.compareFirst,
  };
  const { embedder, problem } = chooseEmbedder(orgId);
  const store = STORE_OF_MODE[settings.ragVectorMode];
  if (!embedder || store === NO_STORE) {
    return {
      ...target,
      embedder: null,
      store: NO_STORE,
      embedderProblem: null,
      storeProblem: null,
      storeHint: null,
    };
  }
  const chosen = findStore(store)?.problem(orgId);
  const own = store !== OWN_STORE && !chosen ? undefined : findStore(OWN_STORE)?.problem(orgId);
  const instead =
    store !== OWN_STORE && chosen && !own ? "Using the built-in SQLite index instead." : undefined;
  const problems = [store === OWN_STORE ? undefined : chosen, own, instead].filter(
    (value) => value !== undefined,
  );
  return {
    ...target,
    embedder,
    store: chosen ? OWN_STORE : store,
    embedderProblem: problem,
    storeProblem: problems.join(" ") || null,
    storeHint:
      instead && !env().QDRANT_URL && !isSettingChosen(orgId, "rag.ragVectorMode") ? QDRANT_LATER : null,
  };
}

export const readTarget = cachedByConfig(EMBEDDER_TOPICS, want);

export function isMadeOf({ chunkSet, space, store }: IndexRow, target: IndexTarget): boolean {
  return (
    chunkSet.key === target.chunkSetKey &&
    (space?.key ?? null) === (target.embedder?.key ?? null) &&
    store === target.store
  );
}
