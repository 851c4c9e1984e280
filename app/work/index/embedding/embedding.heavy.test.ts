import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CustomModelInput } from "~/ai/models/model-settings.schema";
import { addCustomModel, saveModel } from "~/ai/models/model-settings.service.server";
import { callRecorded } from "~/ai/models/models.service.server";
import { now, setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { createBudget, readBudget, updateBudget } from "~/team/budgets/budgets.service.server";
import { addKey, removeKey } from "~/team/keys/keys.service.server";
import { providers } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addText, countRows } from "../../../../tests/support/knowledge";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { decideOnOffer, readEmbeddingOffer } from "../embedding-offer.service.server";
import { markAllForCheck, runBuilder } from "../generations/builder.server";
import { indexVersion } from "../generations/index-version.server";
import { activeIndex } from "../generations/live-indexes.server";
import { changeSettings } from "../rag-settings.service.server";
import { embeddingChoices, ragStatus } from "../rag-status.service.server";
import { systemActor } from "../system-actor.server";
import { chooseEmbedder } from "./choose-embedder.server";
import { embedQuery, embedTexts } from "./embed-texts.server";

const SMALL = "text-embedding-3-small";

interface EmbeddingRequest {
  model: string;
  input: string[];
}

/** The mock server's response; by default it embeds. */
type Respond = (request: EmbeddingRequest) => { status?: number; body: unknown };

let added = 0;

const vectorOf = (text: string, dimensions = 8) =>
  Array.from(
    { length: dimensions },
    (_, index) => ((text.charCodeAt(index % text.length) + index) % 13) - 5.5,
  );
const embedAll: Respond = ({ input }) => ({
  body: {
    data: input.map((text, index) => ({ index, embedding: vectorOf(text) })).reverse(),
    usage: { prompt_tokens: input.length * 7, total_tokens: input.length * 7 },
  },
});

describe("embedding", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let upstream: MockServer;
  let respond: Respond;
  let requests: EmbeddingRequest[];

  beforeEach(async () => {
    test = openTestDatabase();
    markAllForCheck();
    respond = embedAll;
    requests = [];
    upstream = await startMockServer((request, response) => {
      const body = JSON.parse(request.text) as EmbeddingRequest;
      requests.push(body);
      const { status = 200, body: payload } = respond(body);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(payload));
    });
    process.env.QUARTERDECK_KEY_EMBED = "sk-secret";
    process.env.LITELLM_API_KEY = "sk-lite";
    set({ embeddingProvider: "auto" });
    rawDatabase()
      .prepare("INSERT INTO org_settings (org_id, key, value, updated_at) VALUES (?, 'ai', ?, 0)")
      .run(ORG_ID, JSON.stringify({ retryAttempts: 0 }));
  });
  afterEach(async () => {
    setClock();
    delete process.env.QUARTERDECK_KEY_EMBED;
    delete process.env.LITELLM_API_KEY;
    test.close();
    await upstream.close();
  });

  const set = (input: Parameters<typeof changeSettings>[1]) => changeSettings(test.actors.admin, input);
  const addProvider = (id: string, priority: number, models: string[], type = "custom") =>
    transaction((tx) =>
      tx
        .insert(providers)
        .values({
          // The router keeps provider state across tests.
          id: `${id}_${++added}`,
          orgId: ORG_ID,
          type,
          displayName: id,
          enabled: true,
          config: { baseUrl: `${upstream.origin}/v1`, models },
          models: [],
          priority,
          createdAt: 1,
          updatedAt: 1,
        })
        .run(),
    );
  const acceptOffer = () => {
    const { offer } = readEmbeddingOffer(test.actors.admin);
    if (!offer) throw new Error("nothing is offered");
    decideOnOffer(test.actors.admin, { ...offer, decision: "rebuild" });
  };
  const addAgreed = (...provider: Parameters<typeof addProvider>) => {
    addProvider(...provider);
    acceptOffer();
  };
  const choice = () => chooseEmbedder(ORG_ID);
  const embed = (texts: string[]) => {
    const { embedder } = choice();
    if (!embedder) throw new Error("off");
    return embedTexts(systemActor(ORG_ID), embedder, texts);
  };
  const usage = () =>
    rawDatabase()
      .prepare(
        "SELECT provider_type AS type, model, input_tokens AS tokens, outcome, source FROM usage_records ORDER BY rowid",
      )
      .all();

  it("uses the built-in embedder until an admin agrees to another", () => {
    expect(choice()).toMatchObject({ embedder: { kind: "lexical" }, problem: null });
    addProvider("talks", 1, ["llama"]);
    expect(readEmbeddingOffer(test.actors.admin)).toEqual({ offer: null });
    addProvider("second", 3, [SMALL]);
    expect(choice()).toMatchObject({ embedder: { kind: "lexical" }, problem: null });
    acceptOffer();
    expect(choice()).toMatchObject({ embedder: { model: SMALL } });
    addProvider("first", 2, ["nomic-embed-text", "bge-m3-embed"]);
    expect(choice()).toMatchObject({ embedder: { model: SMALL } });
    set({ embeddingProvider: "off" });
    expect(choice().embedder).toBeNull();
  });

  it("offers the first provider that embeds, with the configured model or its first one", () => {
    addProvider("second", 3, [SMALL]);
    addProvider("first", 2, ["nomic-embed-text", "bge-m3-embed"]);
    const model = () => readEmbeddingOffer(test.actors.admin).offer?.model;
    expect(model()).toBe("nomic-embed-text");
    set({ embeddingModel: "bge-m3-embed" });
    expect(model()).toBe("bge-m3-embed");
  });

  it("falls back to the built-in embedder with the reason if the chosen one is unavailable", () => {
    set({ embeddingProvider: "openai" });
    expect(choice()).toMatchObject({
      embedder: { kind: "lexical" },
      problem: expect.stringContaining("OpenAI"),
    });
    set({ embeddingProvider: "litellm" });
    expect(choice().problem).toContain("LiteLLM");
    set({ embeddingProvider: "model", embeddingModel: "nowhere" });
    expect(choice().problem).toContain('offers "nowhere"');
    addProvider("keyless", 1, [SMALL], "openai");
    set({ embeddingProvider: "openai", embeddingModel: SMALL });
    expect(choice().problem).toContain("its key isn't set");
    expect(ragStatus(test.actors.viewer).notices.join()).toContain("its key isn't set");
    expect(embeddingChoices(test.actors.viewer)).toMatchObject({
      models: [{ id: SMALL, isCallable: false }, {}, {}],
      hosts: [],
    });
    addProvider("callable", 2, [SMALL]);
    const { host } = new URL(upstream.origin);
    expect(embeddingChoices(test.actors.admin)).toMatchObject({
      models: [{ id: SMALL, isCallable: true }, {}, {}],
      hosts: [`callable at ${host}`],
    });
    expect(embeddingChoices(test.actors.viewer)).toMatchObject({
      models: [{ id: SMALL, isCallable: true }, {}, {}],
      hosts: [],
    });
  });

  it("calls an OpenAI provider with its key, sorts and normalises vectors, and records usage", async () => {
    addKey(test.actors.owner, {
      provider: "openai",
      alias: "QUARTERDECK_KEY_EMBED",
      origin: upstream.origin,
    });
    addProvider("own", 1, [SMALL], "openai");
    set({ embeddingProvider: "openai" });
    const [one, two] = await embed(["alpha", "beta"]);
    expect(requests).toMatchObject([{ model: SMALL, input: ["alpha", "beta"] }]);
    expect(upstream.requests[0]?.headers.authorization).toBe("Bearer sk-secret");
    const expected = vectorOf("alpha");
    const length = Math.hypot(...expected);
    expect(one?.[3]).toBeCloseTo((expected[3] ?? 0) / length, 5);
    expect(Math.hypot(...(two ?? []))).toBeCloseTo(1, 5);
    expect(usage()).toEqual([
      { type: "openai", model: SMALL, tokens: 14, outcome: "ok", source: "knowledge" },
    ]);
  });

  it("is paid by the price of the alias that was asked for", async () => {
    addProvider("own", 1, [SMALL]);
    addCustomModel(
      test.actors.admin,
      CustomModelInput.parse({ id: "team-embed", name: "Team", cost: { input: 2, output: 0 } }),
    );
    const targets = [{ providerId: `own_${added}`, model: SMALL }];
    saveModel(test.actors.admin, "team-embed", { routing: { fallbacks: [], targets } });
    const { signal } = new AbortController();
    const request = { actor: systemActor(ORG_ID), model: "team-embed", kind: "embedding", signal } as const;
    await callRecorded(
      request,
      async () => 1000,
      (input) => ({ input, output: 0 }),
    );
    expect(rawDatabase().prepare("SELECT model, cost_micros AS cost FROM usage_records").all()).toEqual([
      { model: "team-embed", cost: 2_000_000 },
    ]);
  });

  it("calls a LiteLLM that has only a key reference at its origin", async () => {
    addKey(test.actors.owner, { provider: "litellm", alias: "LITELLM_API_KEY", origin: upstream.origin });
    set({ embeddingProvider: "litellm" });
    await embed(["alpha"]);
    expect(upstream.requests[0]).toMatchObject({
      url: "/v1/embeddings",
      headers: { authorization: "Bearer sk-lite" },
    });
    expect(usage()).toMatchObject([{ type: "litellm", tokens: 7, source: "knowledge" }]);
    respond = () => ({ status: 401, body: {} });
    await expect(embed(["beta"])).rejects.toMatchObject({ code: "provider_key" });
  });

  it("uses no key reference that was removed between two attempts", async () => {
    rawDatabase()
      .prepare("UPDATE org_settings SET value = ? WHERE key = 'ai'")
      .run(JSON.stringify({ retryAttempts: 1 }));
    const { id } = addKey(test.actors.owner, {
      provider: "litellm",
      alias: "LITELLM_API_KEY",
      origin: upstream.origin,
    });
    set({ embeddingProvider: "litellm" });
    respond = (request) => {
      if (requests.length > 1) return embedAll(request);
      removeKey(test.actors.owner, id);
      return { status: 503, body: {} };
    };
    await expect(embed(["alpha"])).rejects.toMatchObject({ code: "provider_key" });
    expect(requests).toHaveLength(1);
  });

  it("accepts base64 vectors", async () => {
    addAgreed("own", 1, [SMALL]);
    const bytes = Buffer.from(new Float32Array([3, 4]).buffer).toString("base64");
    respond = () => ({ body: { data: [{ embedding: bytes }] } });
    expect((await embed(["alpha"]))[0]).toEqual(new Float32Array([0.6, 0.8]));
  });

  it.each<[string, unknown, string]>([
    ["too few", { data: [] }, "0 vectors for 1 texts"],
    ["no list", { object: "list" }, "without embeddings"],
    ["not a number", { data: [{ embedding: [1, null] }] }, "invalid numbers"],
    ["no direction", { data: [{ embedding: [0, 0] }] }, "zero vector"],
    ["empty", { data: [{ embedding: [] }] }, "empty vector"],
    ["too long", { data: [{ embedding: Array(4097).fill(1) }] }, "4097 dimensions"],
    ["out of order", { data: [{ index: 3, embedding: [1] }] }, "without a clear order"],
  ])("refuses invalid vectors: %s", async (_what, body, message) => {
    addAgreed("own", 1, [SMALL]);
    respond = () => ({ body });
    await expect(embed(["alpha"])).rejects.toThrow(message);
  });

  it("retries with smaller batches and shorter texts when a model refuses", async () => {
    addAgreed("own", 1, [SMALL]);
    respond = (request) =>
      request.input.length > 2 || request.input.some((text) => text.length > 1000)
        ? { status: 400, body: { error: { message: "too long" } } }
        : embedAll(request);
    const vectors = await embed(["a", "b", "c", "d".repeat(3000)]);
    expect(vectors).toHaveLength(4);
    expect(requests.at(-1)?.input[0]).toHaveLength(750);
  });

  it("embeds the same content only once", async () => {
    addAgreed("own", 1, [SMALL]);
    await indexVersion({ orgId: ORG_ID, ...addText("Ships", 100) });
    const calls = requests.length;
    expect(requests.every(({ input }) => input.length <= 64)).toBe(true);
    expect(activeIndex(ORG_ID)).toMatchObject({ space: { model: SMALL, dimensions: 8 } });
    await indexVersion({ orgId: ORG_ID, ...addText("Ships", 100) });
    expect(requests).toHaveLength(calls);
    const { chunks, points } = countRows();
    expect(points).toBe(chunks);
  });

  it("refuses vectors of a different length", async () => {
    addAgreed("own", 1, [SMALL]);
    await indexVersion({ orgId: ORG_ID, ...addText("Ships", 3) });
    respond = ({ input }) => ({ body: { data: input.map((text) => ({ embedding: vectorOf(text, 16) })) } });
    await expect(indexVersion({ orgId: ORG_ID, ...addText("Trees", 3) })).rejects.toThrow("16 dimensions");
    const space = activeIndex(ORG_ID)?.space;
    if (!space) throw new Error("no space");
    await expect(embedQuery(ORG_ID, space, "trees")).rejects.toThrow("16 dimensions");
  });

  it("caches query vectors", async () => {
    addAgreed("own", 1, [SMALL]);
    await indexVersion({ orgId: ORG_ID, ...addText("Ships", 3) });
    const space = activeIndex(ORG_ID)?.space;
    if (!space) throw new Error("no space");
    const before = requests.length;
    const first = await embedQuery(ORG_ID, space, "a question asked twice");
    expect(await embedQuery(ORG_ID, space, "a question asked twice")).toBe(first);
    expect(requests).toHaveLength(before + 1);
  });

  it("indexes keywords while the embedder is down, and adds embeddings later", async () => {
    addAgreed("own", 1, [SMALL]);
    await indexVersion({ orgId: ORG_ID, ...addText("Ships", 10) });
    const whole = countRows();
    respond = () => ({ status: 503, body: {} });
    const later = { orgId: ORG_ID, ...addText("Trees", 10) };
    await expect(indexVersion(later)).rejects.toMatchObject({ code: "provider_unavailable" });
    const taken = await indexVersion({ ...later, allowKeywordsOnly: true });
    expect(taken).toMatchObject({ hasEmbeddings: false });
    expect(countRows()).toEqual({
      ...whole,
      chunks: whole.chunks + taken.chunks,
      terms: whole.terms + taken.chunks,
    });
    const { signal } = new AbortController();
    await runBuilder(signal);
    expect(ragStatus(test.actors.viewer).notices.join()).toContain("Semantic search is paused");
    respond = embedAll;
    const hour = now() + 3_600_000;
    setClock(() => hour);
    await runBuilder(signal);
    const { chunks, ...rest } = countRows();
    expect(rest).toEqual({ terms: chunks, embeddings: chunks, entries: chunks, points: chunks });
    expect(ragStatus(test.actors.viewer).notices.join()).not.toContain("words only");
  });

  it("counts tokens toward a budget, and indexes keywords only once it is used up", async () => {
    const organisation = { target: "organisation", unit: "tokens", period: "day", warnAt: null } as const;
    const { id } = createBudget(test.actors.admin, { ...organisation, limit: 1000, unpriced: "allow" });
    addAgreed("own", 1, [SMALL]);
    await indexVersion({ orgId: ORG_ID, ...addText("Ships", 3) });
    const tokens = requests.reduce((sum, { input }) => sum + input.length * 7, 0);
    expect(readBudget(test.actors.admin, id)).toMatchObject({ spent: tokens, reserved: 0 });
    updateBudget(test.actors.admin, id, { limit: 1 });
    const calls = requests.length;
    const later = { orgId: ORG_ID, ...addText("Trees", 3) };
    await expect(indexVersion(later)).rejects.toThrow(/budget of the organization is used up/);
    expect(await indexVersion({ ...later, allowKeywordsOnly: true })).toMatchObject({ hasEmbeddings: false });
    const { signal } = new AbortController();
    await runBuilder(signal);
    expect(ragStatus(test.actors.viewer).notices.join()).toMatch(/paused .*budget .* is used up/);
    expect(requests).toHaveLength(calls);
  });

  it("fails a document whose embedding is refused", async () => {
    addAgreed("own", 1, [SMALL]);
    respond = () => ({ status: 401, body: { error: { message: "no such key" } } });
    const refused = indexVersion({ orgId: ORG_ID, ...addText("Ships", 3), allowKeywordsOnly: true });
    await expect(refused).rejects.toMatchObject({ code: "provider_key" });
  });

  it("resumes a build when its provider recovers, with the old index active in the meantime", async () => {
    await indexVersion({ orgId: ORG_ID, ...addText("Ships", 10) });
    addAgreed("own", 1, [SMALL]);
    respond = () => ({ status: 500, body: {} });
    const { signal } = new AbortController();
    await runBuilder(signal);
    const status = ragStatus(test.actors.viewer);
    expect(status.embedder).toMatchObject({ kind: "lexical" });
    expect(status.indexes).toMatchObject([
      { state: "serving" },
      { state: "building", error: expect.stringContaining("own") },
    ]);
    // Ingestion isn't blocked by an index that can't be built.
    await indexVersion({ orgId: ORG_ID, ...addText("Late", 10) });
    respond = embedAll;
    set({ rerankModel: "any" });
    transaction((tx) => tx.update(providers).set({ updatedAt: 2 }).run());
    await runBuilder(signal);
    await runBuilder(signal);
    expect(ragStatus(test.actors.viewer)).toMatchObject({
      embedder: { model: SMALL },
      indexes: [{ state: "serving" }],
    });
    const { chunks, ...rest } = countRows({ index: 2 });
    expect(rest).toEqual({ terms: chunks, embeddings: chunks, entries: chunks, points: chunks });
  });
});
