import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { changeSettings } from "~/work/index/rag-settings.service.server";
import { providers } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { startRerankServer } from "../../../tests/support/rerank-server";
import { makeCollection } from "../../../tests/support/search-collection";
import { SearchInput } from "./search.schema";
import { searchDocuments } from "./search.service.server";

let test: ReturnType<typeof openTestDatabase>;
const search = (query: string, more: object = {}) =>
  searchDocuments(test.actors.viewer, SearchInput.parse({ query, ...more }));

beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());
afterAll(closeWorkerPools);

function addTerms(): string {
  const collection = makeCollection();
  collection.add({ name: "Other", chunks: ["The printer takes toner and paper."] });
  return collection.add({
    name: "Terms",
    chunks: [{ text: "Customers who return goods within thirty days get a refund.", headings: ["Returns"] }],
    row: {
      type: "url",
      source: "https://example.org/terms",
      category: "Customers",
      createdAt: Date.parse("2026-03-10T22:00Z"),
    },
  }).documentId;
}

it("repeats a search from the cache until documents change, and never shows a hidden one", async () => {
  const collection = makeCollection();
  const { documentId } = collection.add({ name: "Terms", chunks: ["A refund takes thirty days."] });
  const names = async () => (await search("refund")).results.map(({ metadata }) => metadata.title).sort();
  expect(await names()).toEqual(["Terms"]);
  collection.add({ name: "Delivery", chunks: ["A refund includes the delivery."] });
  expect(await names()).toEqual(["Terms"]);
  knowledgeChanged({ orgId: test.actors.viewer.orgId });
  expect(await names()).toEqual(["Delivery", "Terms"]);
  rawDatabase().prepare("UPDATE documents SET visibility = 'named' WHERE id = ?").run(documentId);
  expect(await names()).toEqual(["Delivery"]);
  updateSettings(test.actors.admin, "performance", { enableCaching: false });
  collection.add({ name: "Prices", chunks: ["A refund is the whole price."] });
  expect(await names()).toEqual(["Delivery", "Prices"]);
});

describe("a document search", () => {
  it("answers with passages, their scores and where they stand", async () => {
    const documentId = addTerms();
    const { results, ...info } = await search("Who gets a refund for returned goods?");
    expect(results[0]).toEqual({
      score: 1,
      content: "Customers who return goods within thirty days get a refund.",
      scores: {
        keyword: { rank: 1 },
        vector: { rank: 1, similarity: expect.any(Number) },
        rerank: null,
      },
      metadata: {
        documentId,
        version: 1,
        title: "Terms",
        category: "Customers",
        type: "url",
        source: "https://example.org/terms",
        headings: ["Returns"],
        page: null,
        start: 0,
        end: 59,
        url: `/rag/${documentId}?from=0&to=59&version=1#passage`,
        createdAt: "2026-03-10T22:00:00.000Z",
      },
    });
    expect(info).toEqual({
      store: "sqlite",
      embedder: "the built-in lexical embedder",
      notice: null,
      tookMs: expect.any(Number),
    });
  });

  it("names the sheet of a workbook", async () => {
    const collection = makeCollection();
    const row = { source: "stock.xlsx" };
    const { documentId } = collection.add({ name: "Stock", chunks: ["Rope in the pier's store."], row });
    rawDatabase().prepare("UPDATE chunks SET page = 2").run();
    const facts = JSON.stringify({ format: "Excel", sheets: ["Tools", "Q3 stock"] });
    rawDatabase()
      .prepare("UPDATE document_versions SET facts = ? WHERE document_id = ?")
      .run(facts, documentId);
    const { results } = await search("rope");
    expect(results[0]?.metadata).toMatchObject({ page: 2, sheet: "Q3 stock" });
  });

  it("names the page of the sentence that answers, else all pages of the passage", async () => {
    const collection = makeCollection();
    const pages = ["Invoice RE-1001. Total due: 119 EUR.", "Invoice RE-1002. Total due: 219 EUR."];
    const text = pages.join("\n\n");
    const blocks = pages.map((page, at) => {
      const start = text.indexOf(page);
      return { kind: "paragraph", start, end: start + page.length, page: at + 1 };
    });
    collection.add({ name: "Invoices", chunks: [text], texts: [{ text, blocks }] });
    rawDatabase().prepare("UPDATE chunks SET page = 1").run();
    const pagesFor = async (query: string) => {
      const { page, lastPage } = (await search(query)).results[0]?.metadata ?? {};
      return { page, lastPage };
    };
    expect(await pagesFor("RE-1002")).toEqual({ page: 2, lastPage: undefined });
    expect(await pagesFor("total due")).toEqual({ page: 1, lastPage: 2 });
  });

  it("doesn't reveal hidden documents through scores", async () => {
    const collection = makeCollection();
    collection.add({ name: "Terms", chunks: ["Who returns goods gets a refund within thirty days."] });
    collection.add({ name: "Menu", chunks: ["Thirty soups in as many days, and bread."] });
    const query = "refund thirty days";
    const before = (await search(query)).results;
    expect(before.map(({ scores }) => scores.keyword)).toEqual([{ rank: 1 }, { rank: 2 }]);
    const row = { visibility: "named" as const, createdBy: "usr_admin" };
    collection.add({ name: "Hidden", chunks: ["Thirty letters about thirty matters."], row });
    expect((await search(query)).results).toEqual(before);
  });

  it("counts the last day of a range as a whole", async () => {
    addTerms();
    const found = async (filters: object) => (await search("refund", { filters })).results.length;
    expect(await found({ to: "2026-03-10" })).toBe(1);
    expect(await found({ from: "2026-03-10", to: "2026-03-10" })).toBe(1);
    expect(await found({ from: "2026-03-11" })).toBe(0);
    expect(await found({ category: "Customers", type: "url" })).toBe(1);
  });

  it("accepts a category's name in any case, and lists the existing ones for an unknown name", async () => {
    addTerms();
    for (const category of ["customers", " CUSTOMERS "])
      expect((await search("refund", { filters: { category } })).results).toHaveLength(1);
    expect((await search("refund", { filters: { category: "finance" } })).results).toEqual([]);
    await expect(search("refund", { filters: { category: "Clients" } })).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(/Category "Clients" not found\. Categories: Uncategorized, .*Customers/),
      fields: { "filters.category": [expect.any(String)] },
    });
  });

  it("finds nothing before the first document", async () => {
    expect(await search("anything")).toMatchObject({
      results: [],
      store: "none",
      embedder: null,
      notice: null,
    });
  });

  it("searches keywords where the settings want no vectors", async () => {
    addTerms();
    rawDatabase().exec("UPDATE search_indexes SET space_id = NULL, store = 'none'");
    const answer = await search("refund");
    expect(answer).toMatchObject({ store: "none", embedder: null, notice: null });
    expect(answer.results[0]?.scores.vector).toBeNull();
  });

  it("searches keywords and says so where the query gets no vector", async () => {
    addTerms();
    rawDatabase().exec("UPDATE embedding_spaces SET key = 'lexical/0'");
    const answer = await search("refund");
    expect(answer.notice).toMatch(/^Only keywords were searched\. The index was built by another version/);
    expect(answer).toMatchObject({ store: "none", embedder: null });
    expect(answer.results).toHaveLength(1);
  });

  it("searches what serves by then where the index is switched and dropped in the meantime", async () => {
    addTerms();
    rawDatabase().exec("UPDATE search_indexes SET space_id = NULL, store = 'none'");
    const answer = search("refund");
    rawDatabase().exec(`
      INSERT INTO chunk_sets (id, org_id, key, created_at) SELECT 2, org_id, 'next', 1 FROM chunk_sets;
      UPDATE chunks SET chunk_set_id = 2;
      ALTER TABLE terms_1 RENAME TO terms_2;
      UPDATE search_indexes SET state = 'retired';
      INSERT INTO search_indexes (id, org_id, chunk_set_id, store, state, created_by, created_at)
        SELECT 2, org_id, 2, 'none', 'serving', 'system', 2 FROM search_indexes`);
    expect((await answer).results).toHaveLength(1);
  });

  it("says nothing of tables where the index that serves has none", async () => {
    addTerms();
    rawDatabase().exec("DROP TABLE terms_1");
    await expect(search("refund")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.not.stringContaining("table"),
    });
  });

  it("is refused where documents are switched off, and in a collection that isn't there", async () => {
    addTerms();
    await expect(search("refund", { collection: "recipes" })).rejects.toMatchObject({ code: "not_found" });
    updateSettings(test.actors.owner, "rag", { ragEnabled: false });
    await expect(search("refund")).rejects.toMatchObject({ code: "conflict" });
  });

  it("needs the right to search, which a token may lack", async () => {
    const token = { ...test.actors.owner, kind: "token" as const, scopes: ["screens.read" as const] };
    await expect(searchDocuments(token, SearchInput.parse({ query: "x" }))).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("serves many at once, without the event loop", async () => {
    addTerms();
    const spin = vi.fn();
    const answers = Promise.all(Array.from({ length: 40 }, () => search("refund for goods")));
    setImmediate(spin);
    for (const { results } of await answers) expect(results[0]?.metadata.title).toBe("Terms");
    expect(spin).toHaveBeenCalled();
  });
});

/** Adds the provider of the reranking model, which an admin then chooses. */
function chooseReranker(origin: string, model: string): void {
  const at = { createdAt: 1, updatedAt: 1 };
  const orgId = test.actors.owner.orgId;
  transaction((tx) => {
    tx.insert(providers)
      .values({
        id: `prv_${model}`,
        orgId,
        type: "custom",
        displayName: "Judge",
        enabled: true,
        priority: 1,
        config: { baseUrl: origin },
        models: [model],
        ...at,
      })
      .run();
  });
  changeSettings(test.actors.admin, { rerankModel: model });
}

function moveProvider(baseUrl: string): void {
  transaction((tx) => tx.update(providers).set({ config: { baseUrl } }).run());
}

const usageRecords = () =>
  rawDatabase()
    .prepare("SELECT source, model, input_tokens, output_tokens, outcome FROM usage_records")
    .all();

describe("reranking by a chat model", () => {
  let upstream: MockServer;
  let say: (asked: string) => { status?: number; text?: string };
  beforeEach(async () => {
    upstream = await startMockServer((request, response) => {
      const { status = 200, text = "" } = say(request.text);
      const message = { role: "assistant", content: text };
      const body =
        status === 200
          ? {
              id: "1",
              created: 1,
              model: "judge",
              choices: [{ index: 0, message, finish_reason: "stop" }],
              usage: USAGE,
            }
          : { error: { message: "no" } };
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    chooseReranker(`${upstream.origin}/v1`, "judge");
    addTerms();
  });
  afterEach(() => upstream.close());

  const USAGE = { prompt_tokens: 300, completion_tokens: 20, total_tokens: 320 };

  it("puts the results in the model's order and records what it took", async () => {
    say = (asked) => {
      expect(asked).toContain("refund for goods or paper");
      const { passages } = JSON.parse(JSON.parse(asked).messages.at(-1).content) as {
        passages: { passage: number; title: string }[];
      };
      const scores = passages.map(({ passage, title }) => ({ passage, score: title === "Other" ? 9 : 2 }));
      return { text: JSON.stringify({ scores }) };
    };
    const { results, notice } = await search("refund for goods or paper");
    expect(notice).toBeNull();
    expect(results.map(({ metadata, score, scores }) => [metadata.title, score, scores.rerank])).toEqual([
      ["Other", 0.9, { rank: 1, score: 0.9 }],
      ["Terms", 0.2, { rank: 2, score: 0.2 }],
    ]);
    expect(usageRecords()).toEqual([
      { source: "knowledge", model: "judge", input_tokens: 300, output_tokens: 20, outcome: "ok" },
    ]);
  });

  it.each([
    ["nonsense", () => ({ text: "I would rather not." }), "judge returned no valid scores."],
    ["a refusal", () => ({ status: 400 }), "Results aren't reranked."],
  ])("leaves them as they were found after %s, and says so", async (_, answer, reason) => {
    say = answer;
    const { results, notice } = await search("refund for goods or paper");
    expect(notice).toContain(reason);
    expect(results[0]?.metadata.title).toBe("Terms");
    expect(results[0]?.scores.rerank).toBeNull();
  });

  it("isn't asked by way of a provider that was added or moved after the model was chosen", async () => {
    say = () => expect.unreachable();
    moveProvider(`http://localhost:${upstream.port}/v1`);
    const { notice, results } = await search("refund for goods or paper");
    expect(notice).toContain("needs an admin's consent");
    expect(results).toHaveLength(2);
    expect(upstream.requests).toEqual([]);
  });

  it("isn't asked where a search doesn't want it", async () => {
    say = () => expect.unreachable();
    expect((await search("refund paper", { rerank: false })).notice).toBeNull();
    expect(upstream.requests).toHaveLength(0);
  });
});

describe("reranking by a reranker", () => {
  let server: MockServer;
  let says: { status: number; body: string } | undefined;
  beforeEach(async () => {
    says = undefined;
    server = await startRerankServer({
      score: (_, document) => (document.includes("printer") ? 0.9 : 0.2),
      instead: () => says,
    });
    chooseReranker(`${server.origin}/voyage`, "rerank-2.5");
    addTerms();
  });
  afterEach(() => server.close());

  it("puts the results in its order and records what it took", async () => {
    const { results, notice } = await search("refund for goods or paper");
    expect(notice).toBeNull();
    expect(results.map(({ metadata, scores }) => [metadata.title, scores.rerank])).toEqual([
      ["Other", { rank: 1, score: 0.9 }],
      ["Terms", { rank: 2, score: 0.2 }],
    ]);
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({
      model: "rerank-2.5",
      query: "refund for goods or paper",
      documents: [expect.stringMatching(/^Terms\n.*thirty days/), expect.stringMatching(/^Other\n/)],
    });
    expect(usageRecords()).toEqual([
      { source: "knowledge", model: "rerank-2.5", input_tokens: 42, output_tokens: 0, outcome: "ok" },
    ]);
  });

  it("estimates tokens that it doesn't report", async () => {
    moveProvider(`${server.origin}/cohere`);
    expect((await search("refund for goods or paper")).notice).toBeNull();
    const [usage] = rawDatabase().prepare("SELECT input_tokens, estimated FROM usage_records").all();
    expect(usage).toEqual({ input_tokens: 33, estimated: 1 });
  });

  it.each([
    ["nonsense", 200],
    ["a refusal", 400],
  ])("leaves them as they were found after %s, and says so", async (_, status) => {
    says = { status, body: '{"message":"no"}' };
    const { results, notice } = await search("refund for goods or paper");
    expect(notice).toMatch(/^Results aren't reranked\. Judge/);
    expect(results.map(({ metadata, scores }) => [metadata.title, scores.rerank])).toEqual([
      ["Terms", null],
      ["Other", null],
    ]);
  });

  it("isn't asked at an address that nobody agreed to", async () => {
    moveProvider(`http://localhost:${server.port}/voyage`);
    expect((await search("refund for goods or paper")).notice).toContain("needs an admin's consent");
    expect(server.requests).toEqual([]);
  });
});

it("asks for a query", () => {
  const { error } = SearchInput.safeParse({ query: "  " });
  expect(error?.issues[0]?.message).toBe("Please enter a search query");
});
