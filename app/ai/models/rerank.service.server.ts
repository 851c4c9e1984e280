import { z } from "zod";
import type { Actor } from "~/core/actor";
import { MAX_LIST_VALUES } from "~/core/parse";
import { listModelsOfKind } from "./model-offers.service.server";
import type { ModelKind } from "./models.schema";
import { MalformedResponse, ProviderHttpError } from "./provider-errors.server";
import { candidatesFor } from "./router/candidates.server";
import type { RouteTarget } from "./router/targets.server";
import { parseWhole, readWhole } from "./whole-response.server";

/** In bytes; many servers repeat the documents. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

export interface RankRequest {
  query: string;
  documents: readonly string[];
  /** Members that the caller adds, for servers that know them. */
  further?: Record<string, unknown>;
  signal: AbortSignal;
}

export interface Ranking {
  /** Best first. Scores are the server's own: between 0 and 1, or of any size. */
  results: { index: number; score: number }[];
  /** As reported; undefined if they weren't. */
  tokens: number | undefined;
  searchUnits: number | undefined;
}

/** Documents that a provider counts as one search unit, if none is long. */
const UNIT_DOCUMENTS = 100;

/** Search units of a call, as providers count them where no document is long. */
export const searchUnitsOf = (documents: number): number => Math.ceil(documents / UNIT_DOCUMENTS);

const Count = z.number().nonnegative().optional().catch(undefined);
const Index = z.number().int().nonnegative();
const Rank = z.union([
  z
    .object({ index: Index, relevance_score: z.number() })
    .transform(({ index, relevance_score: score }) => ({ index, score })),
  z.object({ index: Index, score: z.number() }),
]);
const Ranks = z.array(Rank).min(1);

const Usage = z.object({ total_tokens: Count, prompt_tokens: Count, search_units: Count });
/** As Cohere reports it. */
const Meta = z.object({
  billed_units: z.object({ search_units: Count }).optional().catch(undefined),
  tokens: z.object({ input_tokens: Count }).optional().catch(undefined),
});
const Reported = { usage: Usage.optional().catch(undefined), meta: Meta.optional().catch(undefined) };

/** A bare list is TEI's, `data` Voyage's, `results` everyone else's. */
const RankResponse = z.union([
  z.object({ results: Ranks, ...Reported }),
  z
    .object({ data: Ranks, ...Reported })
    .transform(({ data, ...reported }) => ({ results: data, ...reported })),
  Ranks.transform((results) => ({ results, usage: undefined, meta: undefined })),
]);

/** TEI's count, which it reports in a header. */
function tokensInHeader(headers: Headers): number | undefined {
  const text = headers.get("x-compute-tokens") ?? "";
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** @throws MalformedResponse for another shape, and for documents that weren't sent or come twice */
function readRanking(text: string, headers: Headers, count: number): Ranking {
  const { results, usage, meta } = parseWhole(RankResponse, text, MAX_LIST_VALUES);
  const indexes = new Set(results.map(({ index }) => index));
  if (indexes.size < results.length || results.some(({ index }) => index >= count)) {
    throw new MalformedResponse();
  }
  return {
    results: results.toSorted((a, b) => b.score - a.score || a.index - b.index),
    tokens:
      usage?.total_tokens ?? usage?.prompt_tokens ?? meta?.tokens?.input_tokens ?? tokensInHeader(headers),
    searchUnits: usage?.search_units ?? meta?.billed_units?.search_units,
  };
}

async function send(target: RouteTarget, body: object, { documents, signal }: RankRequest): Promise<Ranking> {
  const request = { body: JSON.stringify(body), headers: { accept: "application/json" }, signal };
  const response = await target.forward(target.wire.rerank ?? "", request, "non-streaming");
  const bytes = await readWhole(response, target, MAX_RESPONSE_BYTES);
  return readRanking(bytes.toString("utf8"), response.headers, documents.length);
}

/** Targets whose server is Hugging Face's Text Embeddings Inference. They last until the configuration changes. */
const teiTargets = new WeakSet<RouteTarget>();

const asksForTexts = (error: unknown): boolean =>
  error instanceof ProviderHttpError &&
  (error.statusCode === 422 || error.statusCode === 400) &&
  /missing field .?texts\b/.test(error.responseBody);

function sendToTei(target: RouteTarget, request: RankRequest): Promise<Ranking> {
  const { query, documents } = request;
  return send(target, { query, texts: documents, truncate: true }, request);
}

/**
 * Ranks documents by a query, once. How many results come back is left to the caller: servers name that parameter
 * differently, and refuse each other's.
 *
 * @throws as `RouteTarget.forward`; MalformedResponse
 */
export async function rankDocuments(target: RouteTarget, request: RankRequest): Promise<Ranking> {
  if (teiTargets.has(target)) return sendToTei(target, request);
  const { query, documents, further } = request;
  try {
    return await send(target, { ...further, model: target.modelId, query, documents }, request);
  } catch (error) {
    if (!asksForTexts(error)) throw error;
    const ranking = await sendToTei(target, request);
    teiTargets.add(target);
    return ranking;
  }
}

/** How a model reranks: as a reranker if any provider lists it as one, else as a chat model. */
export function rerankKind(orgId: string, modelId: string): ModelKind {
  return candidatesFor(orgId, modelId, "rerank").length > 0 ? "rerank" : "chat";
}

/** Rerankers that a picker offers. */
export const listRerankers = (actor: Actor): string[] => listModelsOfKind(actor, "rerank", "rerank");
