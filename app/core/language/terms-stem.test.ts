import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { stem } from "./terms";

const ENDINGS =
  "s es ies sses ed eed ing ational tional enci anci izer abli alli entli eli ousli ization ation ator alism iveness " +
  "fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant " +
  "ement ment ent ion ou ism ate iti ous ive ize e y ll ss";
const ROOTS =
  "connect rel condit hop tann fall hiss fizz fail fil hap sky troubl siz agre feed plaster bled motor y yes yell " +
  "toy synt tr replac adjust cease roll controll a be at an";

it("stems as SQLite's porter tokenizer does", () => {
  const words = ROOTS.split(" ").flatMap((root) => [
    root,
    ...ENDINGS.split(" ").map((ending) => root + ending),
  ]);
  const database = new Database(":memory:");
  database.exec(`CREATE VIRTUAL TABLE words USING fts5(word, tokenize='porter unicode61');
    CREATE VIRTUAL TABLE stems USING fts5vocab(words, 'instance')`);
  const insert = database.prepare("INSERT INTO words (rowid, word) VALUES (?, ?)");
  for (const [index, word] of words.entries()) insert.run(index, word);
  const stems = database.prepare<[], { doc: number; term: string }>("SELECT doc, term FROM stems").all();
  database.close();
  expect(stems).toHaveLength(words.length);
  for (const { doc, term } of stems) {
    const word = words[doc] ?? "";
    expect(`${word} -> ${stem(word)}`).toBe(`${word} -> ${term}`);
  }
});

it.each(["naïve", "日本", "x1", "", "prüfungen"])("leaves %j as it is", (word) => {
  expect(stem(word)).toBe(word);
});
