import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { db } from "./db.server";
import { searchedWords } from "./language/find-terms";
import { containsWords, nameHasWords, wordsQuery } from "./sqlite-extensions.server";

describe("a search for words in columns", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const finds = (query: string, ...texts: (string | null)[]) => {
    const columns = texts.map((text) => sql`${text}`);
    const { found } = db().get<{ found: number }>(
      sql`select ${containsWords(searchedWords(query), ...columns)} as found`,
    );
    return found === 1;
  };

  it.each([
    ["Übersicht der Märkte", "MÄRKTE übersicht"],
    ["Re\u0301sume\u0301", "RÉSUMÉ"],
    ["Reisekosten", "kosten"],
    ["假期申请表", "假期"],
    ["إجازة سنوية", "الاجازه"],
  ])("finds in %s: %s", (text, query) => {
    expect(finds(query, text)).toBe(true);
  });

  it("finds each word in any of the columns, and none in empty ones", () => {
    expect(finds("ärzte köln", "Köln", "Ärzte")).toBe(true);
    expect(finds("ärzte bonn", "Köln", "Ärzte")).toBe(false);
    expect(finds("köln", null)).toBe(false);
  });

  it("treats no character as a wildcard or as syntax", () => {
    expect(finds("a_c", "abc")).toBe(false);
    expect(finds("100 %", "100 percent")).toBe(false);
    expect(finds(`"a" %_ \\'`, `\\' %_ "a"`)).toBe(true);
  });

  it("has no condition for an empty search", () => {
    expect(containsWords(searchedWords(" \0 "), sql`1`)).toBeUndefined();
  });
});

describe("queries of the indexes", () => {
  function lookedUp(query: string): string | undefined {
    let found: string | undefined;
    nameHasWords(searchedWords(query), sql`name`, (one) => {
      found = one;
      return sql`1`;
    });
    return found;
  }

  it("look up alternatives of a word, and what older entries have", () => {
    expect(lookedUp("Straße")).toBe('("strasse" OR "straße")');
    expect(wordsQuery(searchedWords("Straße"))).toBe('("strasse" * OR "straße" *)');
  });

  it("leave out words that trigrams can't find", () => {
    expect(lookedUp("假期 an")).toBeUndefined();
    expect(lookedUp("假期 antrag")).toBe('("antrag")');
  });

  it("look up pairs of characters, and a single one as the beginning of a pair", () => {
    expect(wordsQuery(searchedWords("有給休暇"))).toBe('("有给 给休 休暇" * OR "有給休暇" *)');
    expect(wordsQuery(searchedWords("年"))).toBe('("年" *)');
    expect(wordsQuery(searchedWords("AI助理"))).toBe('(("ai" * AND "助理" *) OR "ai助理" *)');
  });

  it("quote what would be syntax, and look up no sign alone", () => {
    expect(wordsQuery(searchedWords('a"b'))).toBe('("a b" * OR "a""b" *)');
    expect(wordsQuery(searchedWords('" *'))).toBeUndefined();
  });
});
