import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { db } from "./db.server";
import { containsText, containsWords, trigramQuery, wordsQuery } from "./sqlite-extensions.server";

describe("a search for a part of a text", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const finds = (text: string | null, part: string) =>
    db().get<{ found: number | null }>(sql`select ${containsText(sql`${text}`, part)} as found`)?.found === 1;

  it.each([
    ["Übersicht der Märkte", "übersicht"],
    ["Übersicht der Märkte", "MÄRKTE"],
    ["ΑΘΗΝΑ", "αθηνα"],
    ["Отчёт", "ОТЧЁТ"],
    ["Re\u0301sume\u0301", "RÉSUMÉ"],
    ["Plain text", "PLAIN"],
    ["100 % of_it", "% of_"],
  ])("finds in %s: %s", (text, part) => {
    expect(finds(text, part)).toBe(true);
  });

  it("treats no character as a wildcard, and finds nothing in an empty field", () => {
    expect(finds("abc", "a_c")).toBe(false);
    expect(finds("äbc", "ä%c")).toBe(false);
    expect(finds(null, "ä")).toBe(false);
  });

  it("finds a text that contains all words", () => {
    const both = (words: string[]) =>
      db().get<{ found: number }>(sql`select ${containsWords(sql`${"Ärzte in Köln"}`, words)} as found`)
        ?.found;
    expect([both(["köln", "ÄRZTE"]), both(["köln", "Bonn"])]).toEqual([1, 0]);
  });
});

it("makes index queries without a NUL, which would end them", () => {
  expect(trigramQuery(["a\0bc"])).toBe('"a bc"');
  expect(wordsQuery(['a\0"b'])).toBe('"a ""b"*');
});
