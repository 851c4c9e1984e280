import { passageUrl } from "~/ai/models/quoted-passages.shared";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { AppError } from "~/core/errors";
import { startOfDay } from "~/core/time-zone";
import { DEFAULT_CATEGORIES, DOCUMENTS_COLLECTION, isSameCategory } from "~/platform/catalogue/documents";
import { authorise } from "~/platform/rights/authorization.server";
import { makeCache } from "~/platform/settings/caches.service.server";
import { orgTimeZone, readGroupState, readSettings } from "~/platform/settings/settings.service.server";
import { type Block, Facts } from "~/work/extraction/document.schema";
import { activeIndex } from "~/work/index/generations/live-indexes.server";
import {
  findDocuments,
  listCategoryNames,
  listFactsOf,
  listTextsBetween,
} from "~/work/index/indexed-documents.repo.server";
import { knowledgeVersion } from "~/work/index/knowledge-changes.server";
import { answerPages } from "./answer-pages.shared";
import { RERANKED, type Reranked, rerank } from "./retrieval/rerank.server";
import { type IndexAnswer, type IndexSearch, searchIndex } from "./retrieval/search-index.server";
import type { SearchAnswer, SearchFilters, SearchInput, SearchResult } from "./search.schema";

/** Names listed in an error, so that a model can choose one. */
const NAMED = 30;

/** A category's canonical name. @throws AppError `invalid` for an unknown one */
function writtenName({ orgId }: Actor, name: string): string {
  const stored = listCategoryNames(db(), orgId);
  const names = stored.length > 0 ? stored : DEFAULT_CATEGORIES;
  const category = names.find((one) => isSameCategory(one, name));
  if (category) return category;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  const message = `Category "${name}" not found. Categories: ${names.slice(0, NAMED).join(", ")}${more}`;
  throw new AppError("invalid", `${message}.`, { fields: { "filters.category": [message] } });
}

function toFilters(actor: Actor, { category, from, to, ...rest }: SearchFilters) {
  return {
    ...rest,
    category: category === undefined ? undefined : writtenName(actor, category),
    ...momentsOf({ from, to }, orgTimeZone(actor.orgId)),
  };
}

type Passage = Reranked["passages"][number];
type PagedPassage = Passage & { lastPage?: number };

const WORKBOOK = /\.xls[xm]$/i;

/** Names of workbooks' sheets, by document id and version. */
function listSheets(passages: readonly Passage[]): Map<string, readonly string[]> {
  const paged = passages.filter(({ page, source }) => page !== null && WORKBOOK.test(source));
  const versions = paged.map(({ documentId, version }) => ({ documentId, number: version }));
  return new Map(
    listFactsOf(db(), versions).map(({ documentId, number, facts }) => [
      `${documentId} ${number}`,
      Facts.parse(facts).sheets ?? [],
    ]),
  );
}

/** Passages with the page that answers in place of the one they begin on. */
function withPages(actor: Actor, passages: readonly Passage[], query: string): PagedPassage[] {
  return passages.map((passage) => {
    const { page, start, end } = passage;
    if (page === null) return passage;
    const rows = listTextsBetween(db(), actor, passage, start, end);
    const blocks = rows.flatMap((row) => JSON.parse(row.blocks) as Block[]);
    const excerpt = { text: rows.map(({ text }) => text).join(""), blocks, start: rows[0]?.start ?? 0 };
    const answer = answerPages(excerpt, { start, end }, query);
    if (!answer) return passage;
    return { ...passage, page: answer.page, ...(answer.last > answer.page ? { lastPage: answer.last } : {}) };
  });
}

function toResult(passage: PagedPassage, sheets: ReturnType<typeof listSheets>): SearchResult {
  const { chunkId: _, language: __, score, text: content, keyword, vector, rerank, ...metadata } = passage;
  const sheet = sheets.get(`${passage.documentId} ${passage.version}`)?.[(passage.page ?? 0) - 1];
  return {
    score: Math.round(score * 1e4) / 1e4,
    content,
    scores: { keyword, vector, rerank },
    metadata: {
      ...metadata,
      ...(sheet === undefined ? {} : { sheet }),
      url: passageUrl(passage),
      createdAt: new Date(passage.createdAt).toISOString(),
    },
  };
}

/** Searches the active index, and its replacement after a concurrent switch. */
async function searchActiveIndex(actor: Actor, search: IndexSearch): Promise<IndexAnswer> {
  const index = activeIndex(actor.orgId);
  if (!index) return { passages: [], store: "none", embedder: null, notice: null };
  try {
    return await searchIndex(index, actor, search);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "gone")) throw error;
    const next = activeIndex(actor.orgId);
    if (next && next.id !== index.id) return searchIndex(next, actor, search);
    throw new AppError("unavailable", "The index is being rebuilt. Search again in a moment.", {
      cause: error,
    });
  }
}

async function findInOrder(actor: Actor, input: SearchInput, signal: AbortSignal | undefined) {
  const { query, topK } = input;
  const { rerankModel } = readSettings(actor.orgId, "rag");
  const model = input.rerank ? rerankModel : null;
  const results = await searchActiveIndex(actor, {
    query,
    topK: model ? Math.max(topK, RERANKED) : topK,
    mode: "hybrid",
    folderId: input.folderId,
    filters: toFilters(actor, input.filters),
    signal,
  });
  const { store, embedder, notice } = results;
  const { passages, notice: unranked }: Reranked = model
    ? await rerank(actor.orgId, model, query, results.passages, signal)
    : { passages: results.passages.map((passage) => ({ ...passage, rerank: null })), notice: null };
  return {
    passages: withPages(actor, passages.slice(0, topK), query),
    store,
    embedder,
    notices: [notice, unranked],
  };
}

/** A result holds up to fifty passages, about 100 KB. */
const cache = makeCache<Awaited<ReturnType<typeof findInOrder>>>("searches", 200);

/** Searches are cached per user until documents, indexes or settings change. */
async function findCached(actor: Actor, input: SearchInput, signal: AbortSignal | undefined) {
  const { orgId, userId } = actor;
  const state = [activeIndex(orgId)?.id ?? 0, knowledgeVersion(orgId), readGroupState(orgId, "rag").version];
  const key = JSON.stringify([userId, ...state, input, toFilters(actor, input.filters)]);
  const cached = cache.get(orgId, key);
  const ids = new Set(cached?.passages.map(({ documentId }) => documentId));
  if (cached && findDocuments(db(), actor, [...ids]).length === ids.size) return cached;
  const found = await findInOrder(actor, input, signal);
  if (!found.notices.some(Boolean)) cache.set(orgId, key, found);
  return found;
}

/**
 * The best passages for a query, among visible documents.
 * @throws AppError `conflict` if documents are disabled, `not_found` for another collection
 */
export async function searchDocuments(
  actor: Actor,
  input: SearchInput,
  signal?: AbortSignal,
): Promise<SearchAnswer> {
  authorise(actor, "documents.search");
  const started = performance.now();
  if (!readSettings(actor.orgId, "rag").ragEnabled) {
    throw new AppError("conflict", "RAG is turned off. Turn it on in RAG & Embedding Settings to search.");
  }
  if (input.collection !== DOCUMENTS_COLLECTION) {
    throw new AppError(
      "not_found",
      `Collection "${input.collection}" not found. Use "${DOCUMENTS_COLLECTION}".`,
    );
  }
  const { passages, store, embedder, notices } = await findCached(actor, input, signal);
  const sheets = listSheets(passages);
  return {
    results: passages.map((passage) => toResult(passage, sheets)),
    store,
    embedder,
    notice: notices.filter(Boolean).join(" ") || null,
    tookMs: Math.round((performance.now() - started) * 10) / 10,
  };
}

/** The range of two ISO dates, both inclusive, in ms since the epoch; the end is exclusive. */
export function momentsOf(days: { from?: string | undefined; to?: string | undefined }, timeZone: string) {
  const end = days.to && new Date(Date.parse(days.to) + DAY).toISOString().slice(0, 10);
  return {
    from: days.from ? startOfDay(days.from, timeZone) : undefined,
    to: end ? startOfDay(end, timeZone) : undefined,
  };
}
