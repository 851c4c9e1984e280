import { describe, expect, it } from "vitest";
import { refuseStatement } from "./statement-kind";

describe("a statement's kind", () => {
  it.each([
    ["CREATE TEMP TABLE a (b)", undefined],
    ["create unique index a on b (c)", undefined],
    ["DROP VIEW a", undefined],
    ["CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END", "TRIGGER isn't allowed"],
    ["CREATE VIRTUAL TABLE t USING fts5(a)", "VIRTUAL isn't allowed"],
    ["REINDEX", "REINDEX isn't allowed"],
    ["SAVEPOINT a", "SAVEPOINT isn't allowed"],
    ["ANALYZE", "ANALYZE isn't allowed"],
    ["SELECT file FROM pragma_database_list", "database_list isn't available"],
    ['SELECT * FROM "PRAGMA_database_LIST"()', "database_list isn't available"],
  ])("of %s", (sql, reason) => {
    const refused = refuseStatement(sql, true);
    if (reason === undefined) expect(refused).toBeUndefined();
    else expect(refused).toContain(reason);
    expect(refuseStatement(sql, false)).toBeDefined();
  });
});
