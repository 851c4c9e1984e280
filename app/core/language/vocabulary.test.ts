import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../tests/support/rag-corpus";
import { isWithinOneEdit, Vocabulary } from "./vocabulary";

describe("two words", () => {
  it.each([
    ["invoice", "invoce"],
    ["invoice", "innvoice"],
    ["invoice", "invoixe"],
    ["invoice", "invocie"],
    ["invoice", "nvoice"],
    ["invoice", "invoices"],
    ["invoice", "invoice"],
  ])("are within one edit: %s and %s", (a, b) => {
    expect([isWithinOneEdit(a, b), isWithinOneEdit(b, a)]).toEqual([true, true]);
  });

  it.each([
    ["invoice", "invices e".replace(" ", "")],
    ["invoice", "inovcie"],
    ["invoice", "invo"],
    ["invoice", "ivnioce"],
    ["invoice", "device"],
  ])("aren't: %s and %s", (a, b) => {
    expect([isWithinOneEdit(a, b), isWithinOneEdit(b, a)]).toEqual([false, false]);
  });
});

describe("a vocabulary", () => {
  it("lists every word within one edit, wherever the edit is", () => {
    const random = randomFrom(1);
    const words = [
      ...new Set(
        Array.from({ length: 3000 }, () => {
          const length = 4 + Math.floor(random() * 4);
          return Array.from({ length }, () => "abc"[Math.floor(random() * 3)]).join("");
        }),
      ),
    ];
    const vocabulary = new Vocabulary(words);
    for (const word of words.slice(0, 100)) {
      const expected = words.filter((other) => isWithinOneEdit(word, other));
      expect(vocabulary.listNear(word).sort()).toEqual(expected.sort());
    }
  });

  it("knows words, their beginnings, and the words that a part is in, the first and the last too", () => {
    const vocabulary = new Vocabulary(["abrechn", "reisekostenabrechn", "zeitung"]);
    expect(["abrechn", "zeitung", "zeit", "rechn"].map((word) => vocabulary.has(word))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(["zeit", "eitung"].map((part) => vocabulary.hasBeginning(part))).toEqual([true, false]);
    expect(vocabulary.listWith("abrechn")).toEqual(["abrechn", "reisekostenabrechn"]);
    expect(vocabulary.listWith("ung")).toEqual(["zeitung"]);
    expect(vocabulary.listWith("x")).toEqual([]);
  });

  it.each(["", "a", "abcdefg"])("ends its answers where it is empty, for %j", (word) => {
    const vocabulary = new Vocabulary([]);
    expect([vocabulary.has("abc"), vocabulary.listNear(word), vocabulary.listWith("abc")]).toEqual([
      false,
      [],
      [],
    ]);
  });
});
