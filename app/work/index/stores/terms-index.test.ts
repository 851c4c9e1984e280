import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { droppedKey, insertChunkSet, setChunkSetKey } from "../chunks.repo.server";
import { deleteTerms, insertTerms } from "./derived-tables.repo.server";
import { createTerms, termsTable } from "./tables";
import { mergeIdleTerms, mergeSegments, openTerms, runInTermBatches } from "./terms-index.server";

describe("a keyword index", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let set: number;
  let table: string;
  beforeEach(() => {
    test = openTestDatabase();
    set = transaction((tx) => insertChunkSet(tx, { orgId: ORG_ID, key: "v1/400/0", createdAt: 0 })).id;
    table = termsTable(set, NO_LANGUAGE);
  });
  afterEach(() => test.close());

  const list = (sql: string) => rawDatabase().prepare(sql).pluck().all();
  const segments = () => list(`SELECT count(DISTINCT segid) FROM ${table}_idx`)[0] as number;
  const text = (id: number) => Array.from({ length: 60 }, (_, word) => `w${(id * 7 + word) % 997}`).join(" ");
  const row = (id: number) => ({ title: `Title ${id}`, headings: "", body: `${text(id)} only${id}` });
  const found = (word: string) => list(`SELECT rowid FROM ${table} WHERE ${table} MATCH '${word}'`);
  /** One commit per row, as on slow machines. */
  const commitEach = (from: number, to: number) => {
    for (let id = from; id < to; id++) transaction(() => insertTerms(table, id, row(id)));
  };
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  it("never merges inside a commit, even an older index", () => {
    transaction(() => rawDatabase().exec(createTerms(set, NO_LANGUAGE)));
    openTerms(set);
    openTerms(set);
    commitEach(1, 101);
    expect(segments()).toBe(100);
  });

  it("keeps few segments during writes and deletions, and loses nothing", async () => {
    openTerms(set);
    for (const id of upTo(300)) {
      await runInTermBatches([set], [id], (_tx, one) => insertTerms(table, one, row(one)));
    }
    expect(segments()).toBeLessThan(30);
    await runInTermBatches([set], upTo(150), (_tx, id) => deleteTerms(table, id));
    expect(list(`SELECT count(*) FROM ${table}_docsize`)).toEqual([150]);
    for (const id of [1, 150]) expect(found(`only${id}`)).toEqual([]);
    for (const id of [151, 300]) expect(found(`only${id}`)).toEqual([id]);
    rawDatabase().exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
  });

  it("merges segments of an earlier process step by step", async () => {
    openTerms(set);
    commitEach(1, 401);
    await mergeSegments(set, { steps: 1 });
    const begun = segments();
    expect(begun).toBeGreaterThan(8);
    await mergeSegments(set);
    expect(segments()).toBeLessThan(8);
    expect(found("only400")).toEqual([400]);
  });

  it("is merged to one segment per size when idle, then left unchanged", async () => {
    openTerms(set);
    for (const id of upTo(300)) {
      await runInTermBatches([set], [id], (_tx, one) => insertTerms(table, one, row(one)));
    }
    const before = segments();
    expect(await mergeIdleTerms()).toBe(false);
    expect(segments()).toBe(before);
    expect(await mergeIdleTerms({ idleMs: 0 })).toBe(true);
    expect(segments()).toBeLessThan(5);
    for (const id of [1, 150, 300]) expect(found(`only${id}`)).toEqual([id]);
    rawDatabase().exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
    const changes = list("SELECT total_changes()");
    expect(await mergeIdleTerms({ idleMs: 0 })).toBe(true);
    expect(list("SELECT total_changes()")).toEqual(changes);
    // Few segments stay unmerged during writes.
    await runInTermBatches([set], [301, 302, 303], (_tx, one) => insertTerms(table, one, row(one)));
    expect(list(`SELECT v FROM ${table}_config WHERE k = 'usermerge'`)).toEqual([8]);
  });

  it("yields to writers", async () => {
    openTerms(set);
    commitEach(1, 401);
    const settling = mergeIdleTerms({ idleMs: 0 });
    await runInTermBatches([set], [401], (_tx, one) => insertTerms(table, one, row(one)));
    expect(await settling).toBe(false);
    expect(await mergeIdleTerms({ idleMs: 0 })).toBe(true);
    expect(segments()).toBeLessThan(8);
    expect([found("only1"), found("only401")]).toEqual([[1], [401]]);
  });

  it("stops merging by its signal", async () => {
    openTerms(set);
    commitEach(1, 41);
    await expect(mergeSegments(set, { signal: AbortSignal.abort(new Error("stopping")) })).rejects.toThrow(
      "stopping",
    );
    expect(segments()).toBe(40);
  });

  it("skips an index that is being dropped", async () => {
    openTerms(set);
    commitEach(1, 41);
    transaction((tx) => setChunkSetKey(tx, set, droppedKey(set)));
    await mergeSegments(set);
    expect(segments()).toBe(40);
    rawDatabase().exec(`DROP TABLE ${table}`);
    openTerms(set);
    await mergeSegments(set);
    expect(list(`SELECT name FROM sqlite_master WHERE name = '${table}'`)).toEqual([]);
  });
});
