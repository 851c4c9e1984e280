import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { searchedWords } from "~/core/language/find-terms";
import { addConversation } from "../../../../tests/support/conversations";
import { openTestDatabase } from "../../../../tests/support/database";
import { indexAgain, startIndexingAgain } from "./index-again.server";
import { findConversationsQuery } from "./list.repo.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  const { userId } = test.actors.member;
  transaction(() => {
    addConversation("con_1", [{ role: "user", text: "Wer zahlt die Reisekosten für die Straße?" }], {
      userId,
      title: "Öffnung der Straße",
    });
    addConversation("con_2", [{ role: "user", text: "我的假期申请" }], { userId, title: "Second" });
  });
  // As triggers wrote it before.
  const raw = rawDatabase();
  raw.exec(`UPDATE find_entries SET version = 1; DELETE FROM find_names; DELETE FROM find_texts;
    INSERT INTO find_names (rowid, name) SELECT e.id, c.title FROM find_entries e JOIN conversations c ON c.id = e.source;
    INSERT INTO find_texts (rowid, body) SELECT e.id, json_extract(m.parts, '$[0].text')
      FROM find_entries e JOIN messages m ON m.id = e.source`);
});
afterEach(() => test.close());

function found(query: string): unknown[] {
  const { sql: statement, params } = findConversationsQuery(
    db(),
    test.actors.member,
    searchedWords(query),
    5,
  );
  return rawDatabase()
    .prepare(statement)
    .pluck()
    .all(...params);
}
const outdated = () =>
  db().get<{ n: number }>(sql`SELECT count(*) AS n FROM find_entries WHERE version < 2`).n;
const config = () => rawDatabase().prepare("SELECT k, v FROM find_texts_config WHERE k <> 'version'").all();

it("finds older entries by their words as they are written, and folded once they are indexed again", async () => {
  expect([found("straße"), found("öffnung"), found("strasse")]).toEqual([["con_1"], ["con_1"], []]);
  await indexAgain(new AbortController().signal);
  expect(outdated()).toBe(0);
  expect([found("strasse"), found("offnung")]).toEqual([["con_1"], ["con_1"]]);
  expect([found("kosten"), found("假期")]).toEqual([["con_1"], ["con_2"]]);
});

it("leaves the tables with FTS5's own merges, after an interruption too", async () => {
  const stop = startIndexingAgain();
  await stop();
  expect(outdated()).toBe(4);
  expect(config()).toContainEqual({ k: "deletemerge", v: 0 });
  rawDatabase().exec("UPDATE find_entries SET version = 2");
  await indexAgain(new AbortController().signal);
  expect(config()).toEqual([
    { k: "automerge", v: 4 },
    { k: "crisismerge", v: 16 },
    { k: "deletemerge", v: 10 },
  ]);
});
