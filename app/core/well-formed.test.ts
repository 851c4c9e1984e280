import { expect, it } from "vitest";
import { oddTexts } from "../../tests/support/odd-texts";
import { clip, parseWellFormed, wellFormedValue } from "./well-formed";

it.each([
  [String.raw`"\ud83d\ude00"`, "\u{1f600}"],
  [String.raw`"\uD83D\uDE00\ude00"`, "\u{1f600}\ufffd"],
  [String.raw`"a\ud800"`, "a\ufffd"],
  [String.raw`"\udc00\ud800"`, "\ufffd\ufffd"],
  [String.raw`"\ud83d\ud83d\ude00"`, "\ufffd\u{1f600}"],
  [String.raw`"\\ud800"`, String.raw`\ud800`],
  [String.raw`"\\\ud800\\"`, `\\\ufffd\\`],
  [String.raw`"\ud800\n\"\udfff"`, '\ufffd\n"\ufffd'],
  [String.raw`"\ud83d\\ude00"`, `\ufffd\\ude00`],
  [`"\ud83d${String.raw`\ude00`}"`, "\ufffd\ufffd"],
  [String.raw`{"\ud800":1,"x":2,"\udfff":3}`, { "\ufffd": 3, x: 2 }],
  [String.raw`{"__proto__":{"\ud800":1}}`, JSON.parse('{"__proto__":{"\ufffd":1}}')],
])("parses %s without half characters", (json, value) => {
  expect(parseWellFormed(json)).toEqual(value);
});

it("changes nothing but half characters", () => {
  for (const text of oddTexts(2000)) {
    expect(parseWellFormed(JSON.stringify({ [text]: [text] }))).toEqual({
      [text.toWellFormed()]: [text.toWellFormed()],
    });
    expect(wellFormedValue({ [text]: [text] })).toEqual({ [text.toWellFormed()]: [text.toWellFormed()] });
  }
});

it("refuses what isn't JSON", () => {
  for (const text of ["", "{", '"\\ud8"', '"\\x"', '"\\ud800'])
    expect(() => parseWellFormed(text)).toThrow(SyntaxError);
});

it("parses deeply nested JSON like the engine", () => {
  const deep = `${"[".repeat(1000)}"\\ud800"${"]".repeat(1000)}`;
  expect(JSON.stringify(parseWellFormed(deep))).toBe(deep.replace("\\ud800", "\ufffd"));
});

it("clips a text between two characters", () => {
  expect(clip("ab\u{1f600}c", 3)).toBe("ab");
  expect(clip("ab\u{1f600}c", 4)).toBe("ab\u{1f600}");
  expect(clip("ab", 4)).toBe("ab");
  expect(clip("", 0)).toBe("");
});
