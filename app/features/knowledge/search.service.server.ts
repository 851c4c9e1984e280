import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { authorise } from "~/features/members/authorisation.server";
import { readRagSettings } from "~/features/settings/settings.service.server";
import { DOCUMENTS_COLLECTION } from "./documents.schema";
import { servingIndex } from "./indexing/live-indexes.server";
import { searchIndex } from "./retrieval/search-index.server";
import type { FoundPassage } from "./retrieval/search-task";
import {
  passageUrl,
  type SearchAnswer,
  type SearchFilters,
  type SearchInput,
  type SearchResult,
} from "./search.schema";

const DAY = 86_400_000;

function toFilters({ from, to, ...rest }: SearchFilters) {
  return {
    ...rest,
    from: from === undefined ? undefined : Date.parse(from),
    // The day itself is meant, too.
    to: to === undefined ? undefined : Date.parse(to) + DAY,
  };
}

function toResult(passage: FoundPassage): SearchResult {
  const { documentId, title, category, type, source, headings, page, start, end } = passage;
  return {
    score: Math.round(passage.score * 1e4) / 1e4,
    content: passage.text,
    scores: { keyword: passage.keyword, vector: passage.vector, rerank: null },
    metadata: {
      documentId,
      title,
      category,
      type,
      source,
      headings,
      page,
      start,
      end,
      url: passageUrl(documentId, start, end),
      createdAt: new Date(passage.createdAt).toISOString(),
    },
  };
}

/**
 * The passages that answer a query best, among the documents that the actor sees.
 *
 * @throws AppError `conflict` where documents are switched off, `not_found` for another collection, `unavailable` when
 *   it takes too long; the signal's reason
 */
export async function searchDocuments(
  actor: Actor,
  input: SearchInput,
  signal?: AbortSignal,
): Promise<SearchAnswer> {
  authorise(actor, "documents.search");
  const started = performance.now();
  const { query, topK, collection } = input;
  if (!readRagSettings(actor.orgId).ragEnabled) {
    throw new AppError("conflict", "RAG is switched off in the settings, so nothing can be searched.");
  }
  if (collection !== DOCUMENTS_COLLECTION) {
    throw new AppError(
      "not_found",
      `There is no collection "${collection}". The documents' is "${DOCUMENTS_COLLECTION}".`,
    );
  }
  const index = servingIndex(actor.orgId);
  const found = index
    ? await searchIndex(index, actor, {
        query,
        topK,
        mode: "hybrid",
        filters: toFilters(input.filters),
        signal,
      })
    : { passages: [], store: "none" as const, embedder: null, notice: null };
  return {
    results: found.passages.map(toResult),
    store: found.store,
    embedder: found.embedder,
    notice: found.notice,
    tookMs: Math.round((performance.now() - started) * 10) / 10,
  };
}
