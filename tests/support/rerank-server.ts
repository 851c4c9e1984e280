import { type MockServer, startMockServer } from "./mock-server";

type Request = Record<string, unknown> & { query: string };

/** A server's shape: which members it takes, and how it answers scores by position. */
interface Shape {
  members: readonly string[];
  documents: "documents" | "texts";
  answer(scores: readonly number[], request: Request): { headers?: Record<string, string>; body: unknown };
}

const TOKENS = 42;
const order = (scores: readonly number[]) =>
  scores.map((score, index) => ({ index, score })).toSorted((a, b) => b.score - a.score);
const relevance = (scores: readonly number[]) =>
  order(scores).map(({ index, score }) => ({ index, relevance_score: score }));

/** By the first part of the path. */
const SHAPES: Record<string, Shape> = {
  cohere: {
    members: ["model", "query", "documents", "top_n", "max_tokens_per_doc", "priority"],
    documents: "documents",
    answer: (scores) => ({
      body: {
        id: "07734bd2",
        results: relevance(scores),
        meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } },
      },
    }),
  },
  jina: {
    members: ["model", "query", "documents", "top_n", "return_documents"],
    documents: "documents",
    answer: (scores, { documents, model }) => ({
      body: {
        model,
        usage: { total_tokens: TOKENS },
        results: relevance(scores).map((one) => ({
          ...one,
          document: { text: (documents as string[])[one.index] },
        })),
      },
    }),
  },
  voyage: {
    members: ["model", "query", "documents", "top_k", "return_documents", "truncation"],
    documents: "documents",
    answer: (scores, { model }) => ({
      body: { object: "list", data: relevance(scores), model, usage: { total_tokens: TOKENS } },
    }),
  },
  tei: {
    members: ["query", "texts", "raw_scores", "return_text", "truncate", "model", "documents"],
    documents: "texts",
    answer: (scores) => ({ headers: { "x-compute-tokens": String(TOKENS) }, body: order(scores) }),
  },
  /** As llama.cpp: without a logistic function. */
  llama: {
    members: ["model", "query", "documents", "top_n"],
    documents: "documents",
    answer: (scores, { model }) => ({
      body: {
        model,
        object: "list",
        usage: { prompt_tokens: TOKENS, total_tokens: TOKENS },
        results: relevance(scores.map((score) => score * 20 - 15)),
      },
    }),
  },
};

/** The share of the query's words that a document has. */
function scoreOf(query: string, document: string): number {
  const words = query.toLowerCase().split(/\W+/).filter(Boolean);
  return words.filter((word) => document.toLowerCase().includes(word)).length / words.length;
}

function play(name: string, shape: Shape, text: string, score: typeof scoreOf) {
  const request = JSON.parse(text) as Request;
  const documents = request[shape.documents];
  if (!Array.isArray(documents) || !documents.every((one) => typeof one === "string")) {
    const reason = `Failed to deserialize the JSON body into the target type: missing field \`${shape.documents}\``;
    return { status: 422, body: name === "tei" ? reason : JSON.stringify({ message: reason }) };
  }
  const foreign = Object.keys(request).find((member) => !shape.members.includes(member));
  if (foreign) return { status: 400, body: JSON.stringify({ message: `unknown field: ${foreign}` }) };
  const scores = documents.map((one) => score(request.query, one));
  const { headers, body } = shape.answer(scores, request);
  return { status: 200, headers, body: JSON.stringify(body) };
}

/**
 * Starts a server that reranks at `/<shape>/rerank`, as strict as the servers that it stands for.
 *
 * @param options `score` of a document, by default how many of the query's words it has; `instead`, an answer of
 *   another kind if it returns one
 */
export function startRerankServer({
  score = scoreOf,
  instead,
}: {
  score?: typeof scoreOf;
  instead?: () => { status?: number; body: string } | undefined;
} = {}): Promise<MockServer> {
  return startMockServer((request, response) => {
    const other = instead?.();
    if (other) {
      response.writeHead(other.status ?? 200, { "content-type": "application/json" }).end(other.body);
      return;
    }
    const [, name = "", end] = (request.url ?? "").split("/");
    const shape = SHAPES[name];
    if (request.method !== "POST" || !shape || end !== "rerank") {
      response.writeHead(404, { "content-type": "application/json" }).end('{"detail":"Not Found"}');
      return;
    }
    const { status, headers, body } = play(name, shape, request.text, score);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
}
