import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { documents } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addText, countRows } from "../../../../tests/support/knowledge";
import { indexVersion } from "./index-version.server";
import { activeIndex } from "./live-indexes.server";
import { isDirty } from "./pending-work.server";
import { moveScope, removeVersionChunks } from "./remove-chunks.server";

describe("indexVersion", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const into = (document: { documentId: string; versionId: string }, signal?: AbortSignal) =>
    indexVersion({ orgId: ORG_ID, ...document, signal });

  it("creates the first index with keywords, vectors and entries of every chunk", async () => {
    const steps: string[] = [];
    const document = addText("Ships", 30);
    const result = await indexVersion({
      orgId: ORG_ID,
      ...document,
      onProgress: (step, done, total) => steps.push(`${step} ${done}/${total}`),
    });
    const index = activeIndex(ORG_ID);
    expect(index).toMatchObject({
      store: "sqlite",
      state: "serving",
      space: { kind: "lexical", dimensions: expect.any(Number) },
    });
    expect(result.chunks).toBeGreaterThan(3);
    expect(result.hasEmbeddings).toBe(true);
    expect(countRows()).toEqual({
      chunks: result.chunks,
      terms: result.chunks,
      embeddings: result.chunks,
      entries: result.chunks,
      points: result.chunks,
    });
    expect(steps.at(-1)).toBe(`indexing ${result.chunks}/${result.chunks}`);
  });

  it("adds nothing twice after an interruption", async () => {
    const document = addText("Ships", 30);
    const { chunks } = await into(document);
    const raw = rawDatabase();
    const first = raw.prepare("SELECT id FROM chunks WHERE position = 0").pluck().get();
    // Simulates a crash before the last batch of each step.
    raw.exec(`DELETE FROM terms_1 WHERE rowid = ${first}; DELETE FROM chunks WHERE id = ${first}`);
    raw.exec("DELETE FROM embeddings WHERE id IN (SELECT id FROM embeddings LIMIT 3)");
    raw.exec(
      `DELETE FROM vectors_1 WHERE chunk_id = ${first}; DELETE FROM index_entries WHERE chunk_id = ${first}`,
    );
    await into(document);
    await into(document);
    expect(countRows()).toEqual({
      chunks,
      terms: chunks,
      embeddings: chunks,
      entries: chunks,
      points: chunks,
    });
  });

  it("embeds the same content once across documents", async () => {
    const { chunks } = await into(addText("Ships", 10));
    await into(addText("Ships", 10));
    expect(countRows()).toMatchObject({ chunks: 2 * chunks, embeddings: chunks, entries: 2 * chunks });
  });

  it("removes a version everywhere but keeps vectors another version needs", async () => {
    const [kept, gone, alone] = [addText("Ships", 10), addText("Ships", 10), addText("Trees", 10)];
    const { chunks } = await into(kept);
    await into(gone);
    await into(alone);
    await removeVersionChunks(gone.versionId);
    expect(countRows()).toMatchObject({ chunks: 2 * chunks, terms: 2 * chunks, embeddings: 2 * chunks });
    await removeVersionChunks(alone.versionId);
    await removeVersionChunks(alone.versionId);
    expect(countRows()).toEqual({
      chunks,
      terms: chunks,
      embeddings: chunks,
      entries: chunks,
      points: chunks,
    });
  });

  it("reports a concurrent deletion, and leaves nothing behind", async () => {
    const document = addText("Ships", 10);
    transaction((tx) => tx.delete(documents).where(eq(documents.id, document.documentId)).run());
    await expect(into(document)).rejects.toMatchObject({ code: "gone" });
    expect(countRows()).toMatchObject({ chunks: 0, terms: 0, entries: 0, points: 0 });
  });

  it("stops by its signal and continues later", async () => {
    const document = addText("Ships", 40);
    const stop = new AbortController();
    const stopped = indexVersion({
      orgId: ORG_ID,
      ...document,
      signal: stop.signal,
      onProgress: (step) => step === "embedding" && stop.abort(new Error("stopping")),
    });
    await expect(stopped).rejects.toThrow("stopping");
    const { chunks } = await into(document);
    expect(countRows()).toMatchObject({ chunks, entries: chunks, points: chunks });
  });

  it("indexes keywords if the embedder of an index being replaced is unavailable", async () => {
    const { chunks } = await into(addText("Ships", 10));
    // Simulates an update of the built-in embedder.
    rawDatabase().exec("UPDATE embedding_spaces SET key = 'lexical/gone'");
    const later = await into(addText("Trees", 10));
    expect(later).toMatchObject({ hasEmbeddings: false });
    expect(countRows()).toMatchObject({ terms: chunks + later.chunks, points: chunks });
    expect(isDirty(1)).toBe(true);
  });

  it("moves a document's points when its visibility changes", async () => {
    const document = addText("Ships", 10);
    const { chunks } = await into(document);
    const scopes = () =>
      rawDatabase()
        .prepare(
          "SELECT partition00 AS scope, count(*) AS n FROM vectors_1_rowids JOIN vectors_1_chunks USING (chunk_id) GROUP BY 1",
        )
        .all();
    expect(scopes()).toEqual([{ scope: "open", n: chunks }]);
    transaction((tx) =>
      tx.update(documents).set({ visibility: "named" }).where(eq(documents.id, document.documentId)).run(),
    );
    await moveScope(document.documentId);
    expect(scopes()).toEqual([{ scope: "named", n: chunks }]);
    expect(countRows()).toMatchObject({ entries: chunks, points: chunks });
  });
});
