import { describe, expect, it } from "vitest";
import { LONGEST_PII, PII_KINDS, uniteOverlaps } from "~/core/find-pii";
import { type Found, findInPiece, Masks, PIECE } from "./masking";

const find = (text: string): Found[] => {
  const found: Found[] = [];
  for (let from = 0; from < text.length; from += PIECE) found.push(...findInPiece(text, from, PII_KINDS));
  return uniteOverlaps(found);
};

describe("masks", () => {
  it("give a value one placeholder, and put it back", async () => {
    const text = "ada@example.org and bob@example.org, again ada@example.org";
    const masks = await Masks.of([text]);
    const masked = masks.mask(text, find(text));
    expect(masked).toBe("[EMAIL_1] and [EMAIL_2], again [EMAIL_1]");
    expect(masks.restore(masked)).toBe(text);
  });

  it("leave a placeholder that a caller wrote to the caller", async () => {
    const text = "[EMAIL_1] is ada@example.org";
    const masks = await Masks.of([text]);
    expect(masks.mask(text, find(text))).toBe("[EMAIL_1] is [EMAIL_2]");
    expect(masks.restore("[EMAIL_1] [EMAIL_2] [EMAIL_3]")).toBe("[EMAIL_1] ada@example.org [EMAIL_3]");
  });

  it("escape values in JSON", async () => {
    const value = 'A "B" C';
    const masks = await Masks.of([value]);
    const masked = masks.mask(value, [{ label: "PERSON", start: 0, end: value.length }]);
    expect(JSON.parse(masks.restore(`{"name":"${masked}"}`, true))).toEqual({ name: value });
  });

  it.each([-20, -1, 0, 1, 20])("find what lies %d characters from the border of two pieces", (offset) => {
    const mail = "ada@example.org";
    const text = `${"x ".repeat(PIECE)}`
      .slice(0, PIECE + offset - 1)
      .concat(" ", mail, " y".repeat(LONGEST_PII));
    expect(find(text)).toEqual([
      { label: "EMAIL", start: PIECE + offset, end: PIECE + offset + mail.length },
    ]);
  });
});

describe("findings that overlap", () => {
  const at = (start: number, end: number, label = "A"): Found => ({ label, start, end });

  it("become one, so that nothing of them stays, named as the longest and as the first list's", () => {
    expect(
      uniteOverlaps(
        [at(10, 20), at(30, 40)],
        [at(0, 5, "B"), at(4, 8, "C"), at(15, 25, "B"), at(20, 30, "B")],
      ),
    ).toEqual([at(0, 8, "B"), at(10, 30), at(30, 40)]);
    expect(uniteOverlaps([at(10, 20)], [at(0, 30, "B"), at(12, 14, "B")])).toEqual([at(0, 30, "B")]);
    expect(uniteOverlaps([at(0, 12)], [at(0, 12, "B")])).toEqual([at(0, 12)]);
  });

  it("are found by the bundled rules, too", () => {
    expect(find("by sk-abcdefghijklmnopqrst@example.org")).toEqual([at(3, 38, "EMAIL")]);
  });
});
