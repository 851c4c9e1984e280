import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { now, setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import { providers } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addText, countRows } from "../../../../tests/support/knowledge";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { decideOnOffer, readEmbeddingOffer } from "../embedding-offer.service.server";
import { readRebuild, rebuildIndex } from "../indexes.service.server";
import { ragStatus } from "../rag-status.service.server";
import { markAllForCheck, runBuilder } from "./builder.server";
import { indexVersion } from "./index-version.server";
import { activeIndex } from "./live-indexes.server";

/** Of which the console knows how much it reads, and not. */
const KNOWN = "text-embedding-3-small";
const UNKNOWN = "house-embedder";

let test: ReturnType<typeof openTestDatabase>;
let upstream: MockServer;
let calls: string[][];
let respond: (texts: string[]) => number[][] | number;
let busy: { now: number; most: number };
let added = 0;

/** Depends on every character that is read. */
const vectorOf = (text: string, dimensions = 8) =>
  Array.from({ length: dimensions }, (_, at) => {
    let value = at + 7;
    for (let index = 0; index < text.length; index++) value = (value * 31 + text.charCodeAt(index)) % 65_521;
    return value - 32_760;
  });

beforeEach(async () => {
  test = openTestDatabase();
  markAllForCheck();
  [calls, respond, busy] = [[], (texts) => texts.map((text) => vectorOf(text)), { now: 0, most: 0 }];
  upstream = await startMockServer((request, response) => {
    const { input } = JSON.parse(request.text) as { input: string[] };
    calls.push(input);
    const answer = respond(input);
    busy.now += 1;
    busy.most = Math.max(busy.most, busy.now);
    // After the calls that are sent at the same time have come.
    setImmediate(() =>
      setImmediate(() => {
        busy.now -= 1;
        response.writeHead(typeof answer === "number" ? answer : 200, { "content-type": "application/json" });
        const data =
          typeof answer === "number" ? [] : answer.map((embedding, index) => ({ index, embedding }));
        response.end(JSON.stringify({ data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
      }),
    );
  });
  rawDatabase()
    .prepare("INSERT INTO org_settings (org_id, key, value, updated_at) VALUES (?, 'ai', ?, 0)")
    .run(ORG_ID, JSON.stringify({ retryAttempts: 0 }));
});
afterEach(async () => {
  setClock();
  test.close();
  await upstream.close();
});

const add = (name: string, paragraphs: number) =>
  indexVersion({ orgId: ORG_ID, ...addText(name, paragraphs) });
/** Two passes: the second sees what the first started or retired. */
const build = async () => {
  const { signal } = new AbortController();
  await runBuilder(signal);
  await runBuilder(signal);
};
const later = () => {
  const hour = now() + 3_600_000;
  setClock(() => hour);
};
const search = (query: string) => searchDocuments(test.actors.member, SearchInput.parse({ query }));
const building = () => ragStatus(test.actors.admin).indexes.find(({ state }) => state === "building");

/** Agrees to a provider's model. */
function agree(model: string): void {
  transaction((tx) =>
    tx
      .insert(providers)
      .values({
        // The router keeps provider state across tests.
        id: `own_${++added}`,
        orgId: ORG_ID,
        type: "custom",
        displayName: "Own",
        enabled: true,
        config: { baseUrl: `${upstream.origin}/v1` },
        models: [{ id: model, kind: "embedding" }],
        priority: 1,
        createdAt: 1,
        updatedAt: 1,
      })
      .run(),
  );
  const { offer } = readEmbeddingOffer(test.actors.admin);
  if (!offer) throw new Error("nothing is offered");
  decideOnOffer(test.actors.admin, { ...offer, decision: "rebuild" });
}

describe("a rebuild on request", () => {
  it("embeds everything again with a model that has changed, while the old index answers", async () => {
    agree(KNOWN);
    await add("Ships", 30);
    respond = (texts) => texts.map((text) => vectorOf(text, 16));
    const found = await search("ships number 3");
    expect(found.notice).toMatch(/Only keywords were searched.* 16 dimensions/);
    expect(found.results.length).toBeGreaterThan(0);
    expect(readRebuild(test.actors.admin)).toMatchObject({
      again: true,
      sent: { model: KNOWN, costMicros: 0 },
    });
    const before = calls.length;
    rebuildIndex(test.actors.admin);
    expect(readRebuild(test.actors.admin)).toBeUndefined();
    await build();
    expect(calls.length).toBeGreaterThan(before);
    expect(activeIndex(ORG_ID)).toMatchObject({ id: 2, space: { dimensions: 16 } });
    expect((await search("ships number 4")).notice).toBeNull();
    later();
    await build();
    expect(rawDatabase().prepare("SELECT key FROM embedding_spaces").pluck().all()).toEqual([
      `model/${KNOWN}`,
    ]);
  });

  it("keeps the vectors of a build that was interrupted", async () => {
    await add("Ships", 500);
    agree(KNOWN);
    let left = 1;
    respond = (texts) => (left-- > 0 ? texts.map((text) => vectorOf(text)) : 500);
    await build();
    expect(building()).toMatchObject({ error: expect.stringContaining("Own") });
    const { embeddings } = countRows({ index: 2 });
    expect(embeddings).toBeGreaterThan(0);
    rawDatabase().exec("UPDATE search_indexes SET state = 'failed' WHERE id = 2");
    expect(readRebuild(test.actors.admin)).toMatchObject({ again: false });
    rebuildIndex(test.actors.admin);
    respond = (texts) => texts.map((text) => vectorOf(text));
    calls = [];
    await build();
    expect(calls.flat()).toHaveLength(countRows({ index: 3 }).embeddings - embeddings);
    expect(activeIndex(ORG_ID)?.id).toBe(3);
  });
});

describe("a build", () => {
  it("sends full batches, several at a time", async () => {
    for (let n = 0; n < 60; n++) await add(`Ships ${n}`, 30);
    agree(KNOWN);
    await build();
    const chunks = calls.flat().length;
    expect(chunks).toBeGreaterThan(256);
    expect(calls.length).toBeLessThanOrEqual(Math.ceil(chunks / 64) + Math.ceil(chunks / 256));
    expect(busy.most).toBeGreaterThan(1);
    expect(busy.most).toBeLessThanOrEqual(4);
  });

  it("sends less at once to a model that is slow, and shows what is done between", async () => {
    for (let n = 0; n < 60; n++) await add(`Ships ${n}`, 30);
    agree(KNOWN);
    let at = now();
    setClock(() => at);
    const shown: number[] = [];
    respond = (texts) => {
      // Slow also where no other call runs beside it.
      if (calls.length < 12) at += 40_000;
      shown.push(building()?.done ?? 0);
      return texts.map((text) => vectorOf(text));
    };
    await build();
    const sizes = calls.map(({ length }) => length);
    expect(sizes[0]).toBe(64);
    expect(sizes.slice(4, 12).every((size) => size <= 32)).toBe(true);
    expect(sizes.slice(20)).toContain(64);
    expect(new Set(calls.flat()).size).toBe(calls.flat().length);
    // Chunks are read from the database 256 at a time.
    expect(shown.some((done) => done % 256 !== 0)).toBe(true);
    expect(activeIndex(ORG_ID)?.space?.model).toBe(KNOWN);
  });

  it("forgets why it failed as soon as the embedder answers, and counts on from where it was", async () => {
    for (let n = 0; n < 60; n++) await add(`Ships ${n}`, 30);
    agree(KNOWN);
    let left = 6;
    const embed = (texts: string[]) => texts.map((text) => vectorOf(text));
    respond = (texts) => (left-- > 0 ? embed(texts) : 500);
    await build();
    const failed = building();
    expect(failed).toMatchObject({ error: expect.stringContaining("Own") });
    expect(failed?.done).toBeGreaterThan(0);
    const seen: { done: number; error: string | null }[] = [];
    respond = (texts) => {
      const { done = -1, error = null } = building() ?? {};
      seen.push({ done, error });
      return embed(texts);
    };
    later();
    await build();
    expect(seen.every(({ done }) => done >= (failed?.done ?? 0))).toBe(true);
    expect(seen[0]?.error).toEqual(failed?.error);
    expect(seen.at(-1)?.error).toBeNull();
    expect(activeIndex(ORG_ID)?.space?.model).toBe(KNOWN);
  });
});

describe("chunks", () => {
  /** About as many characters as 250 tokens have. */
  const READS = 1000;

  it("fit a model of which nobody knows how much it reads, since that is tried first", async () => {
    await add("Ships", 60);
    respond = (texts) => texts.map((text) => vectorOf(text.slice(0, READS)));
    agree(UNKNOWN);
    await build();
    await build();
    const active = activeIndex(ORG_ID);
    expect(active).toMatchObject({ space: { model: UNKNOWN, maxTokens: expect.any(Number) } });
    expect(active?.space?.maxTokens).toBeLessThanOrEqual(250);
    const status = ragStatus(test.actors.viewer);
    expect(status.indexes[0]?.chunkTokens).toBeLessThan(170);
    expect(status.chunkNotice).toMatch(/house-embedder reads about \d+ tokens .* at most \d+/);
    const documents = calls.flat().filter((text) => text.includes("Ships number"));
    // What was sent in chunks that were too long is at most the first call's.
    expect(documents.filter((text) => text.length > READS)).toEqual([]);
  });

  it("stay as they are for a model that reads them", async () => {
    await add("Ships", 60);
    agree(UNKNOWN);
    await build();
    expect(activeIndex(ORG_ID)?.space).toMatchObject({ model: UNKNOWN, maxTokens: null });
    expect(ragStatus(test.actors.viewer)).toMatchObject({
      chunkNotice: null,
      indexes: [{ chunkTokens: 400 }],
    });
  });

  it("that an older version cut too long are kept until somebody rebuilds", async () => {
    agree("all-minilm");
    await add("Ships", 60);
    rawDatabase().exec(
      "UPDATE embedding_spaces SET max_tokens = NULL; UPDATE chunk_sets SET key = 'v3/400/60/t1'",
    );
    await build();
    expect(activeIndex(ORG_ID)?.id).toBe(1);
    expect(ragStatus(test.actors.viewer).chunkNotice).toMatch(/reads 256 tokens.*Rebuild the index/);
    rebuildIndex(test.actors.admin);
    await build();
    expect(activeIndex(ORG_ID)).toMatchObject({ id: 2, chunkSet: { key: "v3/166/24/t1" } });
  });
});
