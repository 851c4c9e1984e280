import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { updateUserSettings } from "~/features/settings/settings.service.server";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addText, countRows } from "../../../../tests/support/knowledge";
import { cancelIndex, rebuildIndex, switchToIndex } from "../indexes.service.server";
import { ragStatus } from "../rag-status.service.server";
import { distrustAll, runBuilder } from "./builder.server";
import { indexVersion } from "./index-version.server";
import { servingIndex } from "./live-indexes.server";

describe("the builder", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    // What the test before left in memory.
    distrustAll();
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

  it("makes another index beside the serving one, switches, and removes what is no longer used", async () => {
    const { chunks } = await into(addText("Ships", 30));
    await into(addText("Trees", 30));
    set({ chunkTokens: 150, chunkOverlap: 0 });
    expect(states()).toEqual(["1 serving"]);
    await build();
    expect(states()).toEqual(["2 serving"]);
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

  it("uses the vectors there are where only the way of searching changes, and none for keywords", async () => {
    const { chunks } = await into(addText("Ships", 30));
    set({ embeddingProvider: "off" });
    await build();
    expect(ragStatus(test.actors.viewer)).toMatchObject({ store: "none", embedder: null });
    expect(countRows({ index: 2 })).toMatchObject({ chunks, terms: chunks, entries: 0 });
    expect(rawDatabase().prepare("SELECT count(*) FROM embeddings").pluck().get()).toBe(0);
    set({ embeddingProvider: "builtin", ragVectorMode: "sqlite" });
    await build();
    expect(ragStatus(test.actors.viewer)).toMatchObject({ store: "sqlite", embedder: { kind: "lexical" } });
    expect(countRows({ index: 3 })).toMatchObject({ chunks, embeddings: chunks, points: chunks });
  });

  it("waits for a person where the settings say so", async () => {
    await into(addText("Ships", 10));
    set({ chunkTokens: 150, compareFirst: true });
    await build();
    expect(states()).toEqual(["1 serving", "2 ready"]);
    await into(addText("Later", 10));
    expect(countRows({ set: 2, index: 2 })).toMatchObject({ chunks: countRows({ set: 2 }).terms });
    expect(() => switchToIndex(test.actors.admin, "1")).toThrow("serves already");
    expect(() => switchToIndex(test.actors.member, "2")).toThrow(/role/);
    expect(switchToIndex(test.actors.admin, "2")).toMatchObject({ state: "serving" });
    await build();
    expect(states()).toEqual(["2 serving"]);
  });

  it("switches by itself once nobody wants to compare any more", async () => {
    await into(addText("Ships", 10));
    set({ chunkTokens: 150, compareFirst: true });
    await build();
    set({ compareFirst: false });
    await build();
    expect(states()).toEqual(["2 serving"]);
  });

  it("is cancelled, and begins again only when the settings change or a person says so", async () => {
    await into(addText("Ships", 10));
    set({ chunkTokens: 150, compareFirst: true });
    await build();
    expect(cancelIndex(test.actors.admin, "2")).toMatchObject({ state: "cancelled" });
    await build();
    await build();
    expect(states()).toEqual(["1 serving", "2 cancelled"]);
    expect(ragStatus(test.actors.viewer).notices.join()).toContain("was cancelled");
    expect(countRows({ set: 2, index: 2 })).toMatchObject({ chunks: 0, terms: 0, entries: 0, points: 0 });
    expect(() => cancelIndex(test.actors.admin, "1")).toThrow("being built");
    expect(rebuildIndex(test.actors.admin)).toMatchObject({ id: "3", state: "building" });
    expect(() => rebuildIndex(test.actors.admin)).toThrow("already");
    await build();
    expect(states()).toEqual(["1 serving", "3 ready"]);
    set({ chunkTokens: 400 });
    await build();
    expect(states()).toEqual(["1 serving"]);
  });

  it("stops in the middle of a build and goes on in the next process", async () => {
    for (let n = 0; n < 8; n++) await into(addText(`Ships ${n}`, 40));
    set({ chunkTokens: 120, chunkOverlap: 0 });
    const stop = new AbortController();
    const building = build(stop.signal);
    const partly = () => countRows({ set: 2, index: 2 }).entries > 0;
    await expect.poll(partly, { interval: 1, timeout: 8000 }).toBe(true);
    stop.abort(new Error("stopping"));
    await expect(building).rejects.toThrow("stopping");
    const { name } = rawDatabase();
    closeDatabase();
    setDatabase(openConnection(name));
    expect(states()).toEqual(["1 serving", "2 building"]);
    distrustAll();
    await build();
    expect(states()).toEqual(["2 serving"]);
    const { chunks, ...rest } = countRows({ set: 2, index: 2 });
    expect(rest).toEqual({ terms: chunks, embeddings: chunks, entries: chunks, points: chunks });
  });

  it("takes documents that come while it builds into both", async () => {
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

  it("finds at the start what is missing, and makes it anew", async () => {
    const { chunks } = await into(addText("Ships", 30));
    rawDatabase().exec("DELETE FROM vectors_1 WHERE chunk_id = 3; DELETE FROM terms_1 WHERE rowid = 2");
    await build();
    expect(states()).toEqual(["1 serving"]);
    distrustAll();
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

  it("finds points that stand where others look for them, and entries that are missing", async () => {
    await into(addText("Ships", 10));
    distrustAll();
    rawDatabase().exec(
      "DELETE FROM index_entries WHERE chunk_id = 1; DELETE FROM vectors_1 WHERE chunk_id = 1",
    );
    await build();
    expect(states()).toEqual(["1 serving"]);
    expect(countRows().points).toBe(countRows().chunks);
    rawDatabase().exec("UPDATE documents SET visibility = 'named'");
    distrustAll();
    await build();
    await build();
    expect(states()).toEqual(["2 serving"]);
    expect(servingIndex(ORG_ID)?.id).toBe(2);
  });

  it("leaves everything alone while RAG is switched off", async () => {
    await into(addText("Ships", 10));
    set({ chunkTokens: 150, ragEnabled: false });
    await build();
    expect(states()).toEqual(["1 serving"]);
    expect(() => rebuildIndex(test.actors.admin)).toThrow("switched off");
  });
});
