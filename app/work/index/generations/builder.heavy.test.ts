import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { now, setClock } from "~/core/clock.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addText, countRows } from "../../../../tests/support/knowledge";
import { cancelIndex, rebuildIndex } from "../indexes.service.server";
import { ragStatus } from "../rag-status.service.server";
import { markAllForCheck, runBuilder } from "./builder.server";
import { indexVersion } from "./index-version.server";
import { activeIndex, reconcile } from "./live-indexes.server";

describe("the builder", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    // Clears state from the previous test.
    markAllForCheck();
  });
  afterEach(() => {
    setClock();
    test.close();
  });

  const build = (signal = new AbortController().signal) => runBuilder(signal);
  const into = (document: { documentId: string; versionId: string }) =>
    indexVersion({ orgId: ORG_ID, ...document });
  const set = (input: Parameters<typeof updateUserSettings>[1]) =>
    updateUserSettings(test.actors.admin, input);
  const states = () => ragStatus(test.actors.viewer).indexes.map(({ id, state }) => `${id} ${state}`);
  /** Waits for the grace period of replaced indexes. */
  const settle = async () => {
    const later = now() + 61_000;
    setClock(() => later);
    await build();
  };
  /** Runs `then` once `when` is true during a build. */
  const once = (when: () => unknown, then: () => void) => {
    let over = false;
    const look = () => {
      if (over) return;
      if (!when()) return void setImmediate(look);
      over = true;
      then();
    };
    setImmediate(look);
    return () => {
      const done = over;
      over = true;
      return done;
    };
  };
  const one = (sql: string) => rawDatabase().prepare(sql).pluck().get();
  const hasTable = (name: string) => one(`SELECT 1 FROM sqlite_master WHERE name = '${name}'`) === 1;
  const audited = () =>
    rawDatabase()
      .prepare("SELECT action FROM audit_entries WHERE action LIKE 'index.%' ORDER BY rowid")
      .pluck()
      .all();

  it("does nothing without documents", async () => {
    await build();
    set({ chunkTokens: 200 });
    await build();
    expect(states()).toEqual([]);
  });

  it("builds an index beside the active one, switches, and removes unused data", async () => {
    const { chunks } = await into(addText("Ships", 30));
    await into(addText("Trees", 30));
    set({ chunkTokens: 150, chunkOverlap: 0 });
    expect(states()).toEqual(["1 serving"]);
    await build();
    expect(states()).toEqual(["2 serving"]);
    // Running searches may still use the old index.
    expect(hasTable("terms_1") && hasTable("vectors_1")).toBe(true);
    await settle();
    const after = countRows({ set: 2, index: 2 });
    expect(after.chunks).toBeGreaterThan(2 * chunks);
    expect(after).toEqual({
      chunks: after.chunks,
      terms: after.chunks,
      embeddings: after.chunks,
      entries: after.chunks,
      points: after.chunks,
    });
    expect(countRows()).toEqual({ chunks: 0, terms: 0, embeddings: 0, entries: 0, points: 0 });
    expect(
      rawDatabase().prepare("SELECT name FROM sqlite_master WHERE name IN ('terms_1', 'vectors_1')").all(),
    ).toEqual([]);
    expect(rawDatabase().prepare("SELECT sum(chunk_count) FROM documents").pluck().get()).toBe(after.chunks);
    expect(audited()).toEqual(["index.built", "index.switched"]);
  });

  it("reuses vectors when only the search mode changes, and needs none for keywords", async () => {
    const { chunks } = await into(addText("Ships", 30));
    set({ embeddingProvider: "off" });
    await build();
    expect(ragStatus(test.actors.viewer)).toMatchObject({ store: "none", embedder: null });
    expect(countRows({ index: 2 })).toMatchObject({ chunks, terms: chunks, entries: 0 });
    await settle();
    expect(one("SELECT count(*) FROM embeddings")).toBe(0);
    set({ embeddingProvider: "builtin", ragVectorMode: "sqlite" });
    await build();
    expect(ragStatus(test.actors.viewer)).toMatchObject({ store: "sqlite", embedder: { kind: "lexical" } });
    expect(countRows({ index: 3 })).toMatchObject({ chunks, embeddings: chunks, points: chunks });
  });

  /** Cancels the second index while it is being built. */
  const cancelHalfway = async () => {
    const ended = once(
      () => countRows({ set: 2, index: 2 }).entries > 5,
      () => cancelIndex(test.actors.admin, "2"),
    );
    await build();
    expect(ended()).toBe(true);
  };

  it("restarts a cancelled build only when settings change or on request", async () => {
    for (let n = 0; n < 4; n++) await into(addText(`Ships ${n}`, 100));
    set({ chunkTokens: 150, chunkOverlap: 0 });
    await cancelHalfway();
    await build();
    expect(states()).toEqual(["1 serving", "2 cancelled"]);
    expect(ragStatus(test.actors.viewer).notices.join()).toContain("was canceled");
    const kept = countRows({ set: 2, index: 2 });
    expect(kept).toMatchObject({ terms: kept.chunks, entries: 0, points: 0 });
    expect(kept.chunks).toBeGreaterThan(0);
    expect(() => cancelIndex(test.actors.admin, "1")).toThrow("being built");
    expect(rebuildIndex(test.actors.admin)).toMatchObject({ id: "3", state: "building" });
    expect(() => rebuildIndex(test.actors.admin)).toThrow("already");
    expect(audited()).toEqual(expect.arrayContaining(["index.cancelled", "index.rebuild"]));
    set({ chunkTokens: 400, chunkOverlap: 60 });
    await build();
    expect(states()).toEqual(["1 serving"]);
  });

  it("stops in the middle of a build and continues in the next process", async () => {
    for (let n = 0; n < 8; n++) await into(addText(`Ships ${n}`, 40));
    set({ chunkTokens: 120, chunkOverlap: 0 });
    const stop = new AbortController();
    once(
      () => countRows({ set: 2, index: 2 }).entries > 0,
      () => stop.abort(new Error("stopping")),
    );
    await expect(build(stop.signal)).rejects.toThrow("stopping");
    const { name } = rawDatabase();
    closeDatabase();
    setDatabase(openConnection(name));
    expect(states()).toEqual(["1 serving", "2 building"]);
    markAllForCheck();
    await build();
    expect(states()).toEqual(["2 serving"]);
    await settle();
    const { chunks, ...rest } = countRows({ set: 2, index: 2 });
    expect(rest).toEqual({ terms: chunks, embeddings: chunks, entries: chunks, points: chunks });
  });

  it("adds new documents to both indexes during a build", async () => {
    for (let n = 0; n < 10; n++) await into(addText(`Ships ${n}`, 20));
    set({ chunkTokens: 120 });
    const [, ...late] = await Promise.all([
      build(),
      ...[1, 2, 3].map((n) => into(addText(`Late ${n}`, 20, { served: false }))),
    ]);
    expect(late).toHaveLength(3);
    const { chunks, terms, entries, points } = countRows({ set: 2, index: 2 });
    expect([terms, entries, points]).toEqual([chunks, chunks, chunks]);
    expect(
      rawDatabase()
        .prepare("SELECT count(DISTINCT version_id) FROM chunks WHERE chunk_set_id = 2")
        .pluck()
        .get(),
    ).toBe(13);
  });

  it("finds missing data at startup and rebuilds it", async () => {
    const { chunks } = await into(addText("Ships", 30));
    rawDatabase().exec("DELETE FROM vectors_1 WHERE chunk_id = 3; DELETE FROM terms_1 WHERE rowid = 2");
    await build();
    expect(states()).toEqual(["1 serving"]);
    markAllForCheck();
    await build();
    await build();
    expect(states()).toEqual(["2 serving"]);
    expect(countRows({ index: 2 })).toEqual({
      chunks,
      terms: chunks,
      embeddings: chunks,
      entries: chunks,
      points: chunks,
    });
  });

  it("finds misplaced points and missing entries", async () => {
    await into(addText("Ships", 10));
    markAllForCheck();
    rawDatabase().exec(
      "DELETE FROM index_entries WHERE chunk_id = 1; DELETE FROM vectors_1 WHERE chunk_id = 1",
    );
    await build();
    expect(states()).toEqual(["1 serving"]);
    expect(countRows().points).toBe(countRows().chunks);
    rawDatabase().exec("UPDATE documents SET visibility = 'named'");
    markAllForCheck();
    await build();
    await build();
    expect(states()).toEqual(["2 serving"]);
    expect(activeIndex(ORG_ID)?.id).toBe(2);
  });

  it("does nothing while RAG is off", async () => {
    await into(addText("Ships", 10));
    set({ chunkTokens: 150, ragEnabled: false });
    await build();
    expect(states()).toEqual(["1 serving"]);
    expect(() => rebuildIndex(test.actors.admin)).toThrow("turned off");
  });

  it("starts over on new tables while a chunk set is being dropped", async () => {
    for (let n = 0; n < 4; n++) await into(addText(`Ships ${n}`, 100));
    set({ chunkTokens: 150, chunkOverlap: 0 });
    await build();
    // The settings request the old set again while it is being removed.
    const ended = once(
      () => Number(one("SELECT count(*) FROM chunks WHERE chunk_set_id = 1")) < 40 || !hasTable("terms_1"),
      () => set({ chunkTokens: 400, chunkOverlap: 60 }),
    );
    await settle();
    expect(ended()).toBe(true);
    await build();
    await into(addText("Later", 10));
    expect(states()).toEqual(["3 serving"]);
    await settle();
    const { chunks, ...rest } = countRows({ set: 3, index: 3 });
    expect(rest).toEqual({ terms: chunks, embeddings: chunks, entries: chunks, points: chunks });
  });

  it("finishes a drop after a crash and reuses none of its data", async () => {
    for (let n = 0; n < 4; n++) await into(addText(`Ships ${n}`, 60));
    set({ chunkTokens: 150, chunkOverlap: 0 });
    await build();
    const stop = new AbortController();
    const ended = once(
      () => one("SELECT 1 FROM chunk_sets WHERE key LIKE 'dropping/%'"),
      () => stop.abort(new Error("killed")),
    );
    const later = now() + 61_000;
    setClock(() => later);
    await expect(build(stop.signal)).rejects.toThrow("killed");
    expect(ended()).toBe(true);
    expect(countRows().chunks).toBeGreaterThan(0);
    const { name } = rawDatabase();
    closeDatabase();
    setDatabase(openConnection(name));
    markAllForCheck();
    await build();
    expect(countRows().chunks).toBe(0);
    expect(one("SELECT count(*) FROM chunk_sets")).toBe(1);
  });

  it("completes a chunk set after a crash before switching to it", async () => {
    for (let n = 0; n < 4; n++) await into(addText(`Ships ${n}`, 100));
    set({ chunkTokens: 150, chunkOverlap: 0 });
    await cancelHalfway();
    rawDatabase().exec("DELETE FROM terms_2 WHERE rowid % 2 = 0");
    rebuildIndex(test.actors.admin);
    await build();
    expect(states()).toEqual(["3 serving"]);
    const { chunks, terms } = countRows({ set: 2, index: 3 });
    expect(terms).toBe(chunks);
  });

  it.each([
    ["to something else", { chunkTokens: 200, chunkOverlap: 0 }, ["1 serving", "3 building"]],
    ["back to the active index's", { chunkTokens: 400, chunkOverlap: 60 }, ["1 serving"]],
    ["off", { ragEnabled: false }, ["1 serving", "2 building"]],
  ])("ends a build at once when the settings are changed %s", async (_what, changed, expected) => {
    for (let n = 0; n < 6; n++) await into(addText(`Ships ${n}`, 150));
    set({ chunkTokens: 150, chunkOverlap: 0 });
    const ended = once(
      () => Number(one("SELECT count(*) FROM chunks WHERE chunk_set_id = 2")) > 200,
      () => set(changed),
    );
    await build();
    expect(ended()).toBe(true);
    expect(audited()).not.toContain("index.switched");
    reconcile(ORG_ID);
    expect(states()).toEqual(expected);
  });

  it("keeps the active index when the new one differs from its source, and says so", async () => {
    for (let n = 0; n < 4; n++) await into(addText(`Ships ${n}`, 100));
    set({ chunkTokens: 150, chunkOverlap: 0 });
    const ended = once(
      () => countRows({ set: 2, index: 2 }).entries > 5,
      () =>
        rawDatabase().exec("DELETE FROM vectors_2 WHERE chunk_id = (SELECT min(chunk_id) FROM vectors_2)"),
    );
    await build();
    expect(ended()).toBe(true);
    expect(states()).toEqual(["1 serving", "2 failed"]);
    expect(ragStatus(test.actors.viewer).notices.join()).toContain("Press Rebuild");
    rebuildIndex(test.actors.admin);
    await build();
    expect(states()).toEqual(["3 serving"]);
  });

  it("copies chunks that only the terms' analysis has outdated", async () => {
    const { chunks } = await into(addText("Ships", 30));
    rawDatabase().exec("UPDATE chunk_sets SET key = 'v3/400/60'");
    // Without its text, a document can't be cut again.
    rawDatabase().exec("DELETE FROM document_texts");
    await build();
    expect(states()).toEqual(["2 serving"]);
    const rows = (set: number) =>
      rawDatabase()
        .prepare(`SELECT position, text, headings, page, tokens, start, "end", hash FROM chunks
          WHERE chunk_set_id = ${set} ORDER BY position`)
        .all();
    expect(rows(2)).toHaveLength(chunks);
    expect(rows(2)).toEqual(rows(1));
    expect(countRows({ set: 2, index: 2 })).toMatchObject({ terms: chunks, entries: chunks, points: chunks });
  });

  it("recounts chunks after an interrupted switch", async () => {
    const { chunks } = await into(addText("Ships", 20));
    rawDatabase().exec("UPDATE documents SET chunk_count = 1");
    markAllForCheck();
    await build();
    expect(one("SELECT chunk_count FROM documents")).toBe(chunks);
  });
});
