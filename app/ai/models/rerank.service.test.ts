import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import type { MockServer } from "../../../tests/support/mock-server";
import { startRerankServer } from "../../../tests/support/rerank-server";
import { insertProviderRow } from "./models.repo.server";
import { listEmbeddingModels, listModels, newRouteRecord, routeCall } from "./models.service.server";
import { listRerankers, rankDocuments, rerankKind } from "./rerank.service.server";

const DOCUMENTS = ["Paper for printers.", "A refund for returned goods.", "Goods by ship."];
const MODEL = "bge-reranker-v2-m3";
/** Health outlives a test. */
let order = 0;

describe("a reranker", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let actor: Actor;
  let server: MockServer;
  /** Instead of the server's own answer. */
  let says: { status?: number; body: string } | undefined;
  beforeEach(async () => {
    test = openTestDatabase();
    actor = test.actors.member;
    says = undefined;
    server = await startRerankServer({ instead: () => says });
  });
  afterEach(async () => {
    await server.close();
    test.close();
  });

  function addProvider(path: string, type = "custom"): void {
    transaction((tx) =>
      insertProviderRow(tx, {
        id: `prv_rank_${++order}`,
        orgId: actor.orgId,
        type,
        displayName: "Ranker",
        enabled: true,
        config: { baseUrl: server.origin + path, models: [MODEL] },
        models: [],
        modelsAt: null,
        priority: 1,
        createdAt: 1,
        updatedAt: 1,
      }),
    );
  }

  async function rank(further?: Record<string, unknown>) {
    const request = {
      query: "refund goods",
      documents: DOCUMENTS,
      signal: new AbortController().signal,
      ...(further && { further }),
    };
    const routed = await routeCall({ actor, model: MODEL, kind: "rerank" }, newRouteRecord(), (target) =>
      rankDocuments(target, request),
    );
    routed.end({ outcome: "ok" });
    return routed.value;
  }
  const bodies = () => server.requests.map(({ body }) => JSON.parse(body));

  it.each([
    ["/cohere", [1, 0.5, 0], { tokens: undefined, searchUnits: 1 }],
    ["/jina", [1, 0.5, 0], { tokens: 42, searchUnits: undefined }],
    ["/voyage", [1, 0.5, 0], { tokens: 42, searchUnits: undefined }],
    ["/llama", [5, -5, -15], { tokens: 42, searchUnits: undefined }],
    ["/tei", [1, 0.5, 0], { tokens: 42, searchUnits: undefined }],
  ])("ranks at a server like %s, with what it reports", async (path, [first, second, last], reported) => {
    addProvider(path);
    expect(await rank()).toEqual({
      results: [
        { index: 1, score: first },
        { index: 2, score: second },
        { index: 0, score: last },
      ],
      ...reported,
    });
  });

  it("asks TEI in its own shape from the second call on", async () => {
    addProvider("/tei");
    await rank();
    await rank();
    const own = { query: "refund goods", texts: DOCUMENTS, truncate: true };
    expect(bodies()).toEqual([{ model: MODEL, query: "refund goods", documents: DOCUMENTS }, own, own]);
  });

  it("gets the caller's further members, and refuses those that it doesn't know in its own words", async () => {
    addProvider("/voyage");
    await rank({ truncation: false });
    expect(bodies()).toMatchObject([{ truncation: false }]);
    await expect(rank({ max_chunks: 1 })).rejects.toMatchObject({ code: "provider_rejected" });
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ["a position that wasn't sent", '{"results":[{"index":3,"relevance_score":0.5}]}'],
    ["a position twice", '{"results":[{"index":0,"relevance_score":0.5},{"index":0,"relevance_score":0.4}]}'],
    ["no whole position", '{"results":[{"index":0.5,"relevance_score":0.5}]}'],
    ["an endless score", '{"results":[{"index":0,"relevance_score":1e999}]}'],
    ["no score", '[{"index":0}]'],
    ["no result", '{"data":[]}'],
    ["no JSON", "ranked!"],
    ["too many values", `{"more":[${"0,".repeat(300_000)}0],"results":[{"index":0,"relevance_score":1}]}`],
    ["more than 16 MB", `"${"x".repeat(17 * 1024 * 1024)}"`],
  ])("that answers with %s has failed", async (problem, body) => {
    says = { body };
    addProvider("/cohere");
    await expect(rank()).rejects.toMatchObject({
      code: "provider_unavailable",
      message: expect.stringMatching(problem === "more than 16 MB" ? /^Ranker .*16 MB/ : /Ranker/),
    });
    expect(server.requests).toHaveLength(1);
  });

  it("isn't taken for TEI because its refusal speaks of texts", async () => {
    says = { status: 422, body: '{"message":"texts must not be longer than 100 words"}' };
    addProvider("/cohere");
    await expect(rank()).rejects.toMatchObject({ code: "provider_rejected" });
    expect(server.requests).toHaveLength(1);
  });

  it("is no chat or embedding model", () => {
    addProvider("/cohere");
    expect(listModels(actor).map(({ id }) => id)).not.toContain(MODEL);
    expect(listEmbeddingModels(actor.orgId)).toEqual([]);
    expect(listRerankers(actor)).toEqual([MODEL]);
    expect(rerankKind(actor.orgId, MODEL)).toBe("rerank");
    expect(rerankKind(actor.orgId, "gpt-4o")).toBe("chat");
  });

  it("isn't offered from a provider that can't rerank", () => {
    addProvider("", "local-ollama");
    expect(listRerankers(actor)).toEqual([]);
  });
});
