import { expect, it } from "vitest";
import { foldText, foldWord } from "./fold";
import { normalizeText } from "./letters.shared";

const BASES = ["e", "न", "ক", "க", "カ", "ᄀ", "ㄱ", "ا"];

it("folds each character as the whole text is folded, after each letter that it may join", () => {
  const different: string[] = [];
  for (let unit = 0x80; unit < 0x10000; unit++) {
    if (unit >= 0xd800 && unit < 0xe000) continue;
    const text = BASES.map((base) => base + String.fromCharCode(unit)).join(" ");
    if (foldText(text) !== foldWord(normalizeText(text).toLowerCase())) different.push(unit.toString(16));
  }
  expect(different).toEqual([]);
});

it("folds pairs of surrogates", () => {
  expect(foldText("𝐑é")).toBe("re");
});
