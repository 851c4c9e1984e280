import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { now, setClock } from "~/core/clock.server";
import { rawDatabase } from "~/core/db.server";
import { allowOperatorOrigin, installEgressGuard } from "~/core/egress/index.server";
import { setEnv } from "~/core/env.server";
import { addKey } from "~/team/keys/keys.service.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addText, countRows } from "../../../../tests/support/knowledge";
import { startMockServer } from "../../../../tests/support/mock-server";
import { openQdrantFake, type QdrantFake } from "../../../../tests/support/qdrant";
import { markAllForCheck, runBuilder } from "../generations/builder.server";
import { indexVersion } from "../generations/index-version.server";
import { moveScope, removeVersionChunks } from "../generations/remove-chunks.server";
import { ragStatus } from "../rag-status.service.server";
import { collectionOf, qdrantStore } from "./qdrant.store.server";

const KEY = "qdrant-secret";
const index = { id: 7, orgId: ORG_ID, dimensions: 3 };
const point = (id: number, vector: number[], documentId: string, open: boolean) => ({
  id,
  vector: new Float32Array(vector),
  documentId,
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
    delete process.env.QDRANT_API_KEY;
    test.close();
    await qdrant.close();
  });

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

  it("stores points and finds the nearest visible ones", async () => {
    await qdrantStore.create(index);
    await qdrantStore.create(index);
    await qdrantStore.put(index, [
      point(1, [1, 0, 0], "doc_open", true),
      point(2, [0.9, 0.1, 0], "doc_secret", false),
      point(3, [0, 1, 0], "doc_other", true),
    ]);
    const found = async (restrictedIds: string[], documentIds?: string[]) =>
      (await qdrantStore.search(index, new Float32Array([1, 0, 0]), 5, { restrictedIds, documentIds })).map(
        ({ chunkId }) => chunkId,
      );
    expect(await found([])).toEqual([1, 3]);
    expect(await found(["doc_secret"])).toEqual([1, 2, 3]);
    expect(await found(["doc_secret"], ["doc_secret", "doc_other"])).toEqual([2, 3]);
    expect(await found([], ["doc_secret"])).toEqual([]);
    expect(await found([], [])).toEqual([]);
    await qdrantStore.setOpen(index, "doc_secret", true);
    expect(await qdrantStore.count(index)).toEqual({ all: 3, open: 3 });
    await qdrantStore.remove(index, [1]);
    expect(await found([])).toEqual([2, 3]);
    await qdrantStore.drop(index);
    await qdrantStore.drop(index);
    expect(await qdrantStore.count(index)).toEqual({ all: 0, open: 0 });
    expect(qdrant.requests.every(({ headers }) => headers["api-key"] === KEY)).toBe(true);
  });

  it("adds missing payload indexes to a collection after a crash", async () => {
    const unfinished = { ...index, id: 9 };
    qdrant.collections.set(collectionOf(unfinished), { size: 3, points: new Map() });
    await qdrantStore.create(unfinished);
    expect(qdrant.requests.filter(({ url }) => url?.includes("/index"))).toHaveLength(2);
  });

  it("explains a wrong key, a failure and an unreachable address", async () => {
    qdrant.failWith(503);
    await expect(qdrantStore.count(index)).rejects.toMatchObject({
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
    await expect(qdrantStore.count(index)).rejects.toMatchObject({ code: "unavailable" });
    expect(elsewhere.connections()).toBe(0);
    allowOperatorOrigin(redirecting.origin);
    setEnv({ ...settings, QDRANT_URL: redirecting.origin, DATA_DIR: test.folder });
    await expect(qdrantStore.count(index)).rejects.toMatchObject({ code: "unavailable" });
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
    const moved = { id: 2, orgId: ORG_ID, dimensions: 0 };
    expect((await qdrantStore.count(moved)).all).toBe(chunks);
    await settle();
    expect(countRows()).toMatchObject({ points: 0, entries: 0 });
    rawDatabase().exec("UPDATE documents SET visibility = 'organisation'");
    await moveScope(secret.documentId);
    expect(await qdrantStore.count(moved)).toEqual({ all: chunks, open: chunks });
    await removeVersionChunks(secret.versionId);
    rawDatabase().prepare("DELETE FROM documents WHERE id = ?").run(secret.documentId);
    const left = countRows({ index: 2 }).entries;
    expect((await qdrantStore.count(moved)).all).toBe(left);
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

  it("isn't switched to while unreachable, and is rebuilt after data loss", async () => {
    await indexVersion({ orgId: ORG_ID, ...addText("Ships", 10) });
    qdrant.failWith(500);
    await build();
    expect(status()).toMatchObject({
      store: "sqlite",
      indexes: [{ state: "serving" }, { state: "building", error: expect.stringContaining("Qdrant") }],
    });
    qdrant.failWith(undefined);
    set({ rerankModel: "any" });
    await build();
    expect(status()).toMatchObject({ store: "qdrant" });
    const name = collectionOf({ id: 2, orgId: ORG_ID });
    qdrant.collections.get(name)?.points.delete(1);
    markAllForCheck();
    await build();
    await build();
    expect(status()).toMatchObject({ store: "qdrant", indexes: [{ id: "3", state: "serving" }] });
    await settle();
    expect([...qdrant.collections.keys()]).toEqual([collectionOf({ id: 3, orgId: ORG_ID })]);
  });
});
