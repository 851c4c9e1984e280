import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTerms, termsTable } from "~/work/index/stores/tables";
import { processorMs } from "../../../tests/support/processor-time";
import { indexTerms as indexTermsIn, queryTerms as queryTermsIn } from "./analysis";
import { NO_LANGUAGE } from "./language-codes";

const indexTerms = (text: string) => indexTermsIn(text, NO_LANGUAGE);
const queryTerms = (query: string) => queryTermsIn(query, NO_LANGUAGE);

let database: Database.Database;

function index(...texts: string[]): void {
  const insert = database.prepare(
    `INSERT INTO ${termsTable(1, NO_LANGUAGE)} (rowid, title, headings, body) VALUES (?, '', '', ?)`,
  );
  for (const [position, text] of texts.entries()) insert.run(position + 1, indexTerms(text));
}

const match = (expression: string | undefined) =>
  database
    .prepare(
      `SELECT rowid FROM ${termsTable(1, NO_LANGUAGE)} WHERE ${termsTable(1, NO_LANGUAGE)} MATCH ? ORDER BY bm25(${termsTable(1, NO_LANGUAGE)})`,
    )
    .pluck()
    .all(expression) as number[];
const wordsOf = (query: string) => queryTerms(query)?.words.map((word) => word.replaceAll('"', ""));
const find = (query: string) => {
  const { words = [], phrases = [] } = queryTerms(query) ?? {};
  return match([...words, ...phrases].join(" OR "));
};

beforeEach(() => {
  database = new Database(":memory:");
  database.exec(createTerms(1, NO_LANGUAGE));
});

afterEach(() => {
  database.close();
});

describe("the terms of a query", () => {
  it("are any of its words except stop words", () => {
    expect(queryTerms("What is the return policy?")).toMatchObject({
      words: ['"return"', '"policy"'],
      phrases: [],
    });
  });

  it("count a repeated word up to three times", () => {
    expect(wordsOf("disk disk disk disk tape")).toEqual(["disk", "disk", "disk", "tape"]);
  });

  it("are all words if all are stop words", () => {
    expect(wordsOf("to be or not to be")).toContain("be");
  });

  it("exclude the stop words of the query's language", () => {
    expect(wordsOf("Wie kann ich die Rechnung stornieren")).toEqual(["rechnung", "stornieren"]);
    expect(wordsOf("Comment est calculée la facture des clients")).toEqual([
      "calculee",
      "facture",
      "clients",
    ]);
    expect(wordsOf("how does the tool die")).toEqual(["tool", "die"]);
  });

  it("count a quoted phrase three times beside its words", () => {
    expect(queryTerms('"return policy" shoes')).toMatchObject({
      words: ['"return"', '"policy"', '"shoes"'],
      phrases: ['"return policy"', '"return policy"', '"return policy"'],
    });
  });

  it("are limited in number", () => {
    const many = Array.from({ length: 400 }, (_, number) => `word${number}`).join(" ");
    expect(wordsOf(many)?.length).toBeLessThanOrEqual(64);
  });

  it.each(["", "   ", "?!", '""', "—", "\u0000", "🙂"])("are none in %j", (query) => {
    expect(queryTerms(query)).toBeUndefined();
  });

  it.each([
    '"',
    "a AND",
    "NEAR(a b, 3)",
    "title: x",
    "-x ^y *z",
    '" OR 1=1 --',
    "a\u0000b",
    '"un"bal"anced',
    "{title body}: x",
    "x + y",
    "'; DROP TABLE chunks; --",
    "\ud800 lone",
    '"日" *',
    "a OR NOT b",
  ])("are escaped for FTS5: %j", (query) => {
    index("a b x y title");
    const { words = [], phrases = [] } = queryTerms(query) ?? {};
    for (const expression of [...words, ...phrases]) {
      expect(() => match(expression)).not.toThrow();
    }
    if (words.length > 0) expect(() => find(query)).not.toThrow();
  });
});

describe("an indexed text", () => {
  it("is found by other forms of its words", () => {
    index("The invoices were cancelled", "something else");
    expect(find("cancelling an invoice")).toEqual([1]);
  });

  it("is found without its accents and by them", () => {
    index("Prüfungsgebühr für Cafés");
    expect(find("prufungsgebuhr")).toEqual([1]);
    expect(find("CAFÉS")).toEqual([1]);
  });

  it("is found by parts of an identifier, and ranked first for all of it", () => {
    index("the user has a name", "call getUserName first", "see user_name there");
    expect(find("getUserName")[0]).toBe(2);
    expect(find("getusername")).toEqual([2]);
    expect(find("user_name")[0]).toBe(3);
    expect(find("user")).toHaveLength(3);
  });

  it("is found by parts of a Chinese or Japanese sentence", () => {
    index("パスワードの変更方法について説明します", "请假制度的说明", "別の文書");
    expect(find("変更方法")).toEqual([1]);
    expect(find("制度")).toEqual([2]);
  });

  it("is found by any single Chinese or Japanese character", () => {
    index("日本語", "英国");
    expect(find("語")).toEqual([1]);
    expect(find("英")).toEqual([2]);
  });

  it("is found in Korean, Thai and Hindi", () => {
    index("비밀번호를 변경하는 방법", "วิธีเปลี่ยนรหัสผ่าน", "पासवर्ड कैसे बदलें");
    expect(find("비밀번호 변경")).toEqual([1]);
    expect(find("รหัสผ่าน")).toEqual([2]);
    expect(find("पासवर्ड")).toEqual([3]);
  });

  it("limits text that isn't words", () => {
    const noise = "x".repeat(100_000);
    expect(indexTerms(noise).length).toBeLessThan(50);
    index(noise);
    expect(find(noise)).toEqual([1]);
  });

  it("stays quick with a run of letters and digits without end, such as data in base64", () => {
    const started = process.threadCpuUsage();
    expect(indexTerms(`${"x".repeat(60_000)} 1`).length).toBeLessThan(50);
    expect(indexTerms("7".repeat(60_000)).length).toBeLessThan(50);
    expect(processorMs(started)).toBeLessThan(1500);
  });

  it.each([
    ["E-4472", "E4472"],
    ["E4472", "E-4472"],
    ["AB-12-CD", "AB12CD"],
    ["AB-1234/5", "AB12345"],
    ["Gebäude-12", "gebaude12"],
    ["Gebäude12", "Gebäude-12"],
  ])("with %s is found by %s, in a language too", (text, query) => {
    for (const language of [NO_LANGUAGE, "de"]) {
      const terms = queryTermsIn(query, language);
      const other = new Database(":memory:");
      other.exec(createTerms(1, language));
      const table = termsTable(1, language);
      other.prepare(`INSERT INTO ${table} (rowid, body) VALUES (1, ?)`).run(indexTermsIn(text, language));
      const expression = [...(terms?.words ?? []), ...(terms?.phrases ?? [])].join(" OR ");
      expect(other.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ?`).all(expression)).toHaveLength(
        1,
      );
      other.close();
    }
  });

  it("isn't longer by a spelling that a query makes itself", () => {
    expect(indexTerms("System/360 has 8-bit bytes")).toBe("system 360 has 8 bit bytes");
    expect(indexTerms("AB-1234/5")).toBe("ab 1234 5 ab12345");
  });

  it("is ranked first for a quoted phrase, which excludes no other", () => {
    index("the brown quick fox", "quick quick brown brown fox fox", "the quick brown fox");
    expect(find('"the brown quick"')[0]).toBe(1);
    expect(find('"quick brown fox"')).toHaveLength(3);
    expect(find('"quick brown fox"')[0]).toBe(3);
  });
});
