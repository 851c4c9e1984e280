import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { now, setClock } from "~/core/clock.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { allowOperatorOrigin, installEgressGuard } from "~/core/egress/index.server";
import { setEnv } from "~/core/env.server";
import { addKey } from "~/team/keys/keys.service.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { qdrantSearch } from "~/work/search/qdrant-search.tool.server";
import { searchIndex } from "~/work/search/retrieval/search-index.server";
import { providers } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addText, countRows } from "../../../../tests/support/knowledge";
import { startMockServer } from "../../../../tests/support/mock-server";
import { openQdrantFake, type QdrantFake } from "../../../../tests/support/qdrant";
import { decideOnOffer, readEmbeddingOffer } from "../embedding-offer.service.server";
import { markAllForCheck, runBuilder } from "../generations/builder.server";
import { indexVersion } from "../generations/index-version.server";
import { moveScope, removeVersionChunks } from "../generations/remove-chunks.server";
import { listIndexes } from "../indexes.repo.server";
import { ragStatus } from "../rag-status.service.server";
import { collectionOf, qdrantStore } from "./qdrant.store.server";
import { probeQdrant, qdrantState, resetQdrantState } from "./qdrant-client.server";

const KEY = "qdrant-secret";
const index = { id: 7, orgId: ORG_ID, dimensions: 3, createdAt: 1 };
const point = (id: number, vector: number[], documentId: string, open: boolean) => ({
  id,
  vector: new Float32Array(vector),
  documentId,
  hash: `hash of ${id}`,
  open,
});

describe("Qdrant", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let qdrant: QdrantFake;

  beforeEach(async () => {
    qdrant = await openQdrantFake(KEY);
    test = openTestDatabase({ QDRANT_URL: qdrant.origin });
    markAllForCheck();
    installEgressGuard();
    allowOperatorOrigin(qdrant.origin);
    process.env.QDRANT_API_KEY = KEY;
    addKey(test.actors.owner, { provider: "qdrant", alias: "QDRANT_API_KEY", origin: qdrant.origin });
  });
  afterEach(async () => {
    setClock();
    resetQdrantState();
    delete process.env.QDRANT_API_KEY;
    test.close();
    await qdrant.close();
  });

  const count = (of: { id: number; orgId: string }) => {
    const points = [...(qdrant.collections.get(collectionOf(of))?.points.values() ?? [])];
    return { all: points.length, open: points.filter(({ payload }) => payload.open).length };
  };
  const set = (input: Parameters<typeof updateUserSettings>[1]) =>
    updateUserSettings(test.actors.admin, input);
  const build = () => runBuilder(new AbortController().signal);
  /** Waits for the grace period of replaced indexes. */
  const settle = async () => {
    const later = now() + 61_000;
    setClock(() => later);
    await build();
  };
  const status = () => ragStatus(test.actors.admin);
  /** As an admin does for a provider's embedding model. */
  const agreeToModel = (origin: string) => {
    transaction((tx) =>
      tx
        .insert(providers)
        .values({
          ...{ id: "own", orgId: ORG_ID, type: "custom", displayName: "Own", enabled: true, priority: 1 },
          ...{ config: { baseUrl: `${origin}/v1` }, models: [{ id: "house-embedder", kind: "embedding" }] },
          ...{ createdAt: 1, updatedAt: 1 },
        })
        .run(),
    );
    const { offer } = readEmbeddingOffer(test.actors.admin);
    if (!offer) throw new Error("Nothing is offered.");
    decideOnOffer(test.actors.admin, { ...offer, decision: "rebuild" });
  };

  it("stores points and finds the nearest visible ones", async () => {
    await qdrantStore.create(index);
    await qdrantStore.create(index);
    await qdrantStore.put(index, [
      point(1, [1, 0, 0], "doc_open", true),
      point(2, [0.9, 0.1, 0], "doc_secret", false),
      point(3, [0, 1, 0], "doc_other", true),
    ]);
    const found = async (restrictedIds: string[], documentIds?: string[]) =>
      (
        await qdrantStore.search(index, new Float32Array([1, 0, 0]), 5, {
          restrictedIds,
          documentIds,
          ef: null,
        })
      )?.map(({ chunkId }) => chunkId);
    expect(await found([])).toEqual([1, 3]);
    expect(await found(["doc_secret"])).toEqual([1, 2, 3]);
    expect(await found(["doc_secret"], ["doc_secret", "doc_other"])).toEqual([2, 3]);
    expect(await found([], ["doc_secret"])).toEqual([]);
    expect(await found([], [])).toEqual([]);
    await qdrantStore.setOpen(index, "doc_secret", true);
    expect(count(index)).toEqual({ all: 3, open: 3 });
    await qdrantStore.remove(index, [1]);
    expect(await found([])).toEqual([2, 3]);
    await qdrantStore.drop(index);
    await qdrantStore.drop(index);
    expect(await qdrantStore.list(index, 0)).toBeUndefined();
    expect(await qdrantStore.put(index, [point(1, [1, 0, 0], "doc_open", true)])).toBe(false);
    expect(qdrant.requests.every(({ headers }) => headers["api-key"] === KEY)).toBe(true);
  });

  it("adds missing payload indexes to a collection after a crash", async () => {
    const unfinished = { ...index, id: 9 };
    qdrant.collections.set(collectionOf(unfinished), { size: 3, points: new Map(), options: {} });
    await qdrantStore.create(unfinished);
    expect(qdrant.requests.filter(({ url }) => url?.includes("/index"))).toHaveLength(2);
  });

  it("explains a wrong key, a failure and an unreachable address", async () => {
    qdrant.failWith(503);
    await expect(qdrantStore.list(index, 0)).rejects.toMatchObject({
      code: "unavailable",
      message: "Qdrant returned HTTP 503. See its log.",
    });
    qdrant.failWith(401);
    await expect(qdrantStore.create(index)).rejects.toThrow("rejected the key");
    await qdrant.close();
    await expect(qdrantStore.create(index)).rejects.toThrow("couldn't be reached");
  });

  it("respects the egress guard, and follows no redirect", async () => {
    const elsewhere = await startMockServer((_request, response) => response.end("{}"));
    const redirecting = await startMockServer((_request, response) => {
      response.writeHead(307, { location: `${elsewhere.origin}/collections` });
      response.end();
    });
    const settings = { QDRANT_URL: elsewhere.origin, NODE_ENV: "test", LOG_LEVEL: "silent" };
    setEnv({ ...settings, DATA_DIR: test.folder });
    // Not an allowed origin.
    await expect(qdrantStore.list(index, 0)).rejects.toMatchObject({ code: "unavailable" });
    expect(elsewhere.connections()).toBe(0);
    allowOperatorOrigin(redirecting.origin);
    setEnv({ ...settings, QDRANT_URL: redirecting.origin, DATA_DIR: test.folder });
    await expect(qdrantStore.list(index, 0)).rejects.toMatchObject({ code: "unavailable" });
    expect(redirecting.requests).toHaveLength(1);
    expect(elsewhere.connections()).toBe(0);
    await Promise.all([elsewhere.close(), redirecting.close()]);
  });

  it("needs QDRANT_URL, and an https address for Qdrant Cloud", () => {
    set({ ragVectorMode: "qdrant-cloud" });
    expect(status()).toMatchObject({ store: "sqlite", storeProblem: expect.stringContaining("https") });
    setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: test.folder });
    expect(qdrantStore.problem(ORG_ID)).toContain("QDRANT_URL");
    expect(status()?.storeProblem).toContain("Using the built-in SQLite index instead.");
  });

  it("takes over an index from SQLite without re-embedding, and back", async () => {
    set({ ragVectorMode: "sqlite" });
    const open = addText("Ships", 30);
    const secret = addText("Secret", 10, { visibility: "named" });
    await indexVersion({ orgId: ORG_ID, ...open });
    await indexVersion({ orgId: ORG_ID, ...secret });
    const { chunks } = countRows();
    const embedded = rawDatabase().prepare("SELECT max(id) FROM embeddings").pluck().get();
    set({ ragVectorMode: "qdrant" });
    await build();
    expect(status()).toMatchObject({
      store: "qdrant",
      storeProblem: null,
      indexes: [{ id: "2", done: chunks }],
    });
    const moved = { id: 2, orgId: ORG_ID };
    expect(count(moved).all).toBe(chunks);
    await settle();
    expect(countRows()).toMatchObject({ points: 0, entries: 0 });
    rawDatabase().exec("UPDATE documents SET visibility = 'organisation'");
    await moveScope(secret.documentId);
    expect(count(moved)).toEqual({ all: chunks, open: chunks });
    await removeVersionChunks(secret.versionId);
    rawDatabase().prepare("DELETE FROM documents WHERE id = ?").run(secret.documentId);
    const left = countRows({ index: 2 }).entries;
    expect(count(moved).all).toBe(left);
    set({ ragVectorMode: "sqlite" });
    await build();
    expect(status()).toMatchObject({ store: "sqlite" });
    expect(countRows({ index: 3 })).toMatchObject({ points: left, entries: left });
    await settle();
    expect(qdrant.collections.size).toBe(0);
    expect(rawDatabase().prepare("SELECT max(id) FROM embeddings").pluck().get()).toBeLessThanOrEqual(
      embedded as number,
    );
  });

  it("isn't switched to while unreachable, and says so where it is chosen", async () => {
    await indexVersion({ orgId: ORG_ID, ...addText("Ships", 10) });
    qdrant.failWith(500);
    await build();
    expect(status()).toMatchObject({
      store: "sqlite",
      notices: [expect.stringContaining("has to wait: Qdrant returned HTTP 500")],
      server: { state: "failing", error: expect.stringContaining("HTTP 500") },
      indexes: [{ state: "serving" }, { state: "building", error: expect.stringContaining("Qdrant") }],
    });
    qdrant.failWith(undefined);
    set({ rerankModel: "any" });
    await build();
    expect(status()).toMatchObject({ store: "qdrant", notices: [], server: { state: "ok", lagMs: 0 } });
  });

  it.each<[string, string, () => unknown]>([
    [
      "a key that it doesn't take",
      "Qdrant rejected the key. Check it under Settings › API Keys.",
      () => {
        process.env.QDRANT_API_KEY = "another key";
      },
    ],
    [
      "an address where nothing listens",
      "Qdrant couldn't be reached. Check QDRANT_URL and that it is running.",
      () => qdrant.close(),
    ],
  ])("says %s where it is chosen", async (_, said, arrange) => {
    await arrange();
    await indexVersion({ orgId: ORG_ID, ...addText("Ships", 10) });
    await build();
    expect(status()).toMatchObject({
      store: "sqlite",
      notices: [expect.stringContaining(`has to wait: ${said}`)],
      server: { state: "failing", error: said },
    });
  });

  it("gets the vectors of another embedder in a collection of their own, while the old one answers", async () => {
    const { search, whole } = await serve();
    const upstream = await startMockServer((request, response) => {
      const { input } = JSON.parse(request.text) as { input: string[] };
      const vectorOf = (text: string) => [text.length, 1, text.charCodeAt(0), 3, 4, 5, 6, 7];
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
    });
    try {
      agreeToModel(upstream.origin);
      qdrant.failWith(503);
      await build();
      qdrant.failWith(undefined);
      expect(await search()).toMatchObject({ store: "qdrant", notice: null });
      set({ rerankModel: "any" });
      await build();
      await build();
      const [index] = listIndexes(db(), ORG_ID).filter(({ state }) => state === "serving");
      const name = collectionOf({ id: index?.id ?? 0, orgId: ORG_ID });
      const collection = qdrant.collections.get(name);
      expect(collection?.size).toBe(8);
      const documents = (points: Iterable<[number, { payload: { documentId: string } }]>) =>
        new Set([...points].map(([, { payload }]) => payload.documentId));
      expect(collection?.points.size).toBe(countRows({ index: index?.id ?? 0 }).entries);
      expect(documents(collection?.points ?? [])).toEqual(documents(whole));
      await settle();
      expect([...qdrant.collections.keys()]).toEqual([name]);
      expect(status()).toMatchObject({ store: "qdrant", notices: [], indexes: [{ id: String(index?.id) }] });
    } finally {
      await upstream.close();
    }
  });

  it("is what the tool qdrant.search asks, within the rights of who asks", async () => {
    await serve();
    const secret = addText("Ships", 12, { visibility: "named" });
    rawDatabase().exec(`UPDATE documents SET created_by = 'usr_owner' WHERE id = '${secret.documentId}'`);
    await indexVersion({ orgId: ORG_ID, ...secret });
    await build();
    const find = async (role: "member" | "owner", query = "ships number 3") => {
      const context = {
        ...{ actor: test.actors[role], signal: AbortSignal.timeout(20_000), modelContext: undefined },
        ...{ isRestricted: () => false, report: () => undefined },
        ...{ sending: async () => undefined, keepFile: async () => undefined },
      };
      return (await qdrantSearch.run({ query, topK: 20 }, context)) as {
        notice?: string;
        passages: { url: string; scores: { vector: object | null } }[];
      };
    };
    const before = qdrant.requests.length;
    const [seen, all] = [await find("member"), await find("owner")];
    expect(
      qdrant.requests.slice(before).filter(({ url }) => url.includes("/points/query")).length,
    ).toBeGreaterThanOrEqual(2);
    const isSecret = ({ url }: { url: string }) => url.includes(secret.documentId);
    expect([seen.passages.some(isSecret), all.passages.some(isSecret)]).toEqual([false, true]);
    expect(seen.passages.some(({ scores }) => scores.vector !== null)).toBe(true);
    qdrant.collections.clear();
    // Answers are cached by their query.
    expect(await find("member", "ships number 4")).toMatchObject({
      notice: expect.stringContaining("has lost its vectors"),
    });
  });

  /** An index in Qdrant over two documents. */
  async function serve() {
    const first = addText("Ships", 10);
    const second = addText("Harbors", 10);
    await indexVersion({ orgId: ORG_ID, ...first });
    await indexVersion({ orgId: ORG_ID, ...second });
    await build();
    const served = { id: 2, orgId: ORG_ID };
    const points = () => {
      const collection = qdrant.collections.get(collectionOf(served));
      if (!collection) throw new Error("No collection.");
      return collection.points;
    };
    const row = () => {
      const found = listIndexes(db(), ORG_ID).find(({ id }) => id === served.id);
      if (!found) throw new Error("No index.");
      return found;
    };
    const search = () => searchIndex(row(), test.actors.viewer, { query: "ships", topK: 5, mode: "hybrid" });
    expect(status()).toMatchObject({ store: "qdrant" });
    return { first, second, served, points, row, search, whole: structuredClone([...points()]) };
  }
  const sorted = (points: Iterable<[number, unknown]>) => [...points].sort(([a], [b]) => a - b);

  it.each<[string, (points: Awaited<ReturnType<typeof serve>>) => void]>([
    ["a point that is gone", ({ points }) => points().delete(1)],
    [
      "another version's point",
      ({ points }) => Object.assign(points().get(1)?.payload ?? {}, { mark: "other" }),
    ],
    [
      "a point that is open by mistake",
      ({ points }) => Object.assign(points().get(2)?.payload ?? {}, { open: false }),
    ],
    [
      "points without a chunk",
      ({ points, whole }) =>
        void points().set(9999, { ...(whole[0]?.[1] as never as object), id: 9999 } as never),
    ],
    ["an empty collection in its place", ({ points }) => points().clear()],
    ["no collection", ({ served }) => qdrant.collections.delete(collectionOf(served))],
  ])("finds and repairs %s at a start, without a new index", async (_what, damage) => {
    const all = await serve();
    damage(all);
    markAllForCheck();
    await build();
    expect(sorted(all.points())).toEqual(sorted(all.whole));
    expect(all.row()).toMatchObject({ state: "serving", isLost: false });
    expect(status().indexes).toHaveLength(1);
  });

  it("looks for differences once a day", async () => {
    const { points, whole } = await serve();
    points().delete(1);
    const due = await build();
    expect(points().size).toBe(whole.length - 1);
    setClock(() => (due ?? 0) + 86_400_000);
    await build();
    expect(points().size).toBe(whole.length);
  });

  it("answers by keywords with a notice from the first 404 until all is back", async () => {
    const { search, served, points, whole } = await serve();
    expect(await search()).toMatchObject({ store: "qdrant", notice: null });
    qdrant.collections.delete(collectionOf(served));
    const lost = await search();
    expect(lost).toMatchObject({ store: "none", notice: expect.stringContaining("has lost its vectors") });
    expect(lost.passages.length).toBeGreaterThan(0);
    expect(status()).toMatchObject({ notices: [expect.stringContaining("has lost its vectors")] });
    // An upload doesn't make an empty collection look whole.
    await indexVersion({ orgId: ORG_ID, ...addText("Anchors", 5), allowKeywordsOnly: true });
    expect(qdrant.collections.has(collectionOf(served))).toBe(false);
    await build();
    expect(points().size).toBeGreaterThan(whole.length);
    expect(await search()).toMatchObject({ store: "qdrant", notice: null });
    expect(status()).toMatchObject({ notices: [], indexes: [{ id: "2" }] });
  });

  it("deletes what it couldn't while Qdrant was down, and nothing else", async () => {
    const { second, points, whole } = await serve();
    qdrant.failWith(503);
    await removeVersionChunks(second.versionId);
    rawDatabase().prepare("DELETE FROM documents WHERE id = ?").run(second.documentId);
    expect(points().size).toBe(whole.length);
    qdrant.failWith(undefined);
    const sent = qdrant.requests.length;
    await build();
    expect(points().size).toBe(countRows({ index: 2 }).entries);
    expect(qdrant.requests.slice(sent).filter(({ method }) => method === "PUT")).toEqual([]);
  });

  it("isn't asked after two calls without an answer, until it answers again", async () => {
    const { search } = await serve();
    qdrant.hang();
    for (const message of ["longer than 3 seconds", "longer than 3 seconds", "doesn't answer"])
      expect(await search()).toMatchObject({ store: "none", notice: expect.stringContaining(message) });
    const asked = qdrant.requests.length;
    await search();
    expect(qdrant.requests).toHaveLength(asked);
    expect(status()).toMatchObject({
      server: { state: "paused" },
      notices: [expect.stringContaining("Only keywords")],
    });
    qdrant.hang(false);
    await probeQdrant(ORG_ID);
    expect(qdrantState()).toEqual({ isPaused: false, error: null, failingSince: null });
    expect(await search()).toMatchObject({ store: "qdrant", notice: null });
  });

  it("replaces the collection of a forgotten index for another model", async () => {
    const forgotten = { size: 9, points: new Map(), options: {} };
    qdrant.collections.set(collectionOf(index), forgotten);
    await qdrantStore.create(index);
    expect(qdrant.collections.get(collectionOf(index))).toMatchObject({ size: 3 });
  });

  it("makes collections with the operator's options", async () => {
    setEnv({
      NODE_ENV: "test",
      LOG_LEVEL: "silent",
      DATA_DIR: test.folder,
      QDRANT_URL: qdrant.origin,
      QDRANT_COLLECTION:
        "replication_factor=2, shard_number=6,write_consistency_factor=1,on_disk=1,quantization=binary",
    });
    await qdrantStore.create(index);
    expect(qdrant.collections.get(collectionOf(index))?.options).toEqual({
      replication_factor: 2,
      shard_number: 6,
      write_consistency_factor: 1,
      vectors: { size: 3, distance: "Cosine", on_disk: true },
      hnsw_config: { on_disk: true },
      quantization_config: { binary: { always_ram: true } },
    });
  });
});
