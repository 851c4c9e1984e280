import { z } from "zod";
import { type RankRequest, rankDocuments, searchUnitsOf } from "~/ai/models/rerank.service.server";
import { parseRequest } from "./content";
import { bounded, ModelId } from "./content.schema";
import { openAiErrors } from "./errors";
import { type Protocol, toChecked } from "./protocol";
import { countOpenAiTokens } from "./wire-usage";

const MAX_DOCUMENTS = 1000;
/** In characters. */
const MAX_QUERY = 32_000;
/** Of all documents, in characters. */
const MAX_TEXT = 4_000_000;

const Text = z
  .string("A document must be a string, or an object with a string as its text.")
  .min(1, "One of the documents is empty.");
const Document = z.union([Text, z.object({ text: Text }).transform(({ text }) => text)]);

const Documents = bounded(Document, MAX_DOCUMENTS, "documents").superRefine((documents, context) => {
  if (documents.length === 0) context.addIssue({ code: "custom", message: "There are no documents." });
  const size = documents.reduce((sum, text) => sum + text.length, 0);
  if (size <= MAX_TEXT) return;
  const message = `The documents contain ${(size / 1e6).toFixed(1)} MB of text; at most ${MAX_TEXT / 1e6} MB is allowed.`;
  context.addIssue({ code: "custom", message });
});

/** Unknown members are kept for the provider. */
export const RerankRequest = z.looseObject(
  {
    model: ModelId,
    query: z
      .string("The query must be a string.")
      .min(1, "The query is empty.")
      .max(MAX_QUERY, `The query may have at most ${MAX_QUERY.toLocaleString("en")} characters.`),
    documents: Documents.describe("Strings, or objects with `text`"),
    top_n: z.number().int().min(1).nullish().describe("How many results to return; all by default"),
    return_documents: z.boolean().nullish().describe("Whether the results contain their documents"),
  },
  "The request must be a JSON object.",
);
type RerankRequest = z.infer<typeof RerankRequest>;

function toRankRequest({ query, documents, ...rest }: RerankRequest, signal: AbortSignal): RankRequest {
  const { model: _, top_n: __, return_documents: ___, ...further } = rest;
  return { query, documents, further, signal };
}

/** Reranking as Cohere and Jina have it; providers are called in the shape that they know. */
export const rerank: Protocol = {
  kind: "rerank",
  check: (body) => toChecked(parseRequest(RerankRequest, body), { stream: false }),
  resultMember: "results",
  countTokens: (usage) => ({
    ...countOpenAiTokens(usage),
    outputTokens: 0,
    searchUnits: usage.search_units,
  }),
  searchUnitsOf: (request) => searchUnitsOf((request as RerankRequest).documents.length),
  errors: openAiErrors,
  passedHeaders: [],
  async answer(target, { request, envelope }, signal) {
    const asked = request as RerankRequest;
    const { results, tokens, searchUnits } = await rankDocuments(target, toRankRequest(asked, signal));
    return {
      model: envelope.model,
      results: results.slice(0, asked.top_n ?? undefined).map(({ index, score }) => ({
        index,
        relevance_score: score,
        ...(asked.return_documents && { document: { text: asked.documents[index] } }),
      })),
      ...(tokens !== undefined && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
      ...(searchUnits !== undefined && { meta: { billed_units: { search_units: searchUnits } } }),
    };
  },
};
