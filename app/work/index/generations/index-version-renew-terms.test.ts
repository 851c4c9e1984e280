import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addText, countRows } from "../../../../tests/support/knowledge";
import { markAllForCheck, runBuilder } from "./builder.server";
import { indexVersion, renewTerms } from "./index-version.server";

describe("a document's terms", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    markAllForCheck();
  });
  afterEach(() => test.close());

  const run = (sql: string, ...values: unknown[]) =>
    rawDatabase()
      .prepare(sql)
      .run(...values);
  const rename = (id: string, name: string) => run("UPDATE documents SET name = ? WHERE id = ?", name, id);
  const add = async (name: string, paragraphs = 40) => {
    const document = addText(name, paragraphs);
    await indexVersion({ orgId: ORG_ID, ...document });
    return document.documentId;
  };
  /** Number of chunks with a word in their title. */
  const countMatching = (word: string, set = 1) =>
    rawDatabase()
      .prepare(`SELECT count(*) FROM terms_${set} WHERE terms_${set} MATCH 'title : ${word}'`)
      .pluck()
      .get();
  const build = () => runBuilder(new AbortController().signal);

  it("include its name and title from the start", async () => {
    const document = addText("Ships", 40);
    rename(document.documentId, "harbour.pdf");
    const { chunks } = await indexVersion({ orgId: ORG_ID, ...document });
    expect([countMatching("harbour"), countMatching("ships")]).toEqual([chunks, chunks]);
  });

  it("include only the new name in every chunk set after a rename", async () => {
    const id = await add("Ships");
    await add("Trees");
    updateUserSettings(test.actors.admin, { chunkTokens: 150, chunkOverlap: 0 });
    await build();
    const before = [countRows(), countRows({ set: 2, index: 2 })];
    rename(id, "First boats");
    await renewTerms(id);
    rename(id, "Second vessels");
    await renewTerms(id);
    for (const set of [1, 2]) {
      const chunks = countMatching("ships", set);
      expect(chunks).toBeGreaterThan(3);
      expect([countMatching("vessels", set), countMatching("boats", set)]).toEqual([chunks, 0]);
      expect(countMatching("trees", set)).toBeGreaterThan(3);
    }
    expect([countRows(), countRows({ set: 2, index: 2 })]).toEqual(before);
  });

  it("are complete after an interrupted renewal, which the next run finishes", async () => {
    const id = await add("Ships", 600);
    const chunks = countMatching("ships");
    rename(id, "Boats");
    const stop = new AbortController();
    const renewing = renewTerms(id, stop.signal);
    const look = () => {
      if (countMatching("boats") === 0) setImmediate(look);
      else stop.abort(new Error("stopping"));
    };
    look();
    await expect(renewing).rejects.toThrow("stopping");
    expect(countMatching("boats")).toBeLessThan(chunks as number);
    expect(countMatching("ships")).toBe(chunks);
    await renewTerms(id);
    expect([countMatching("boats"), countRows().terms]).toEqual([chunks, chunks]);
  });

  it("include a name set while the document is being chunked", async () => {
    const document = addText("Ships", 600);
    const indexing = indexVersion({ orgId: ORG_ID, ...document });
    const look = () => {
      if (countRows().terms === 0) setImmediate(look);
      else rename(document.documentId, "Boats");
    };
    look();
    const { chunks } = await indexing;
    const late = countMatching("boats") as number;
    expect(late).toBeGreaterThan(0);
    expect(late).toBeLessThan(chunks);
    await renewTerms(document.documentId);
    expect(countMatching("boats")).toBe(chunks);
  });
});
