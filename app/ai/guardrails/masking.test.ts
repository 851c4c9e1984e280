import { describe, expect, it } from "vitest";
import { LONGEST_PII, PII_KINDS, uniteOverlaps } from "~/core/find-pii";
import { copyTexts, type Found, findInPiece, Masks, PIECE } from "./masking";

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

describe("texts of a call", () => {
  async function texts(value: unknown): Promise<string[]> {
    const { copy, texts } = await copyTexts(value);
    expect(copy).toEqual(value);
    return texts.map(({ text, kind }) => `${kind} ${text}`);
  }

  it("are replaced in the copy alone, under any name", async () => {
    const value = JSON.parse('{"a":["x",{"__proto__":{"b":"y"}}],"c":1}');
    const { copy, texts } = await copyTexts(value);
    for (const { text, replace } of texts) replace(text.toUpperCase());
    expect(JSON.stringify(copy)).toBe('{"a":["X",{"__proto__":{"b":"Y"}}],"c":1}');
    expect(JSON.stringify(value)).toBe('{"a":["x",{"__proto__":{"b":"y"}}],"c":1}');
  });

  it("are found in each protocol, and nothing else", async () => {
    expect(
      await texts({
        model: "m",
        system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
        messages: [
          { role: "user", content: [{ type: "image", source: { type: "base64", data: "AAAA" } }] },
          { role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] },
          { role: "assistant", audio: { id: "1", data: "AAAA", transcript: "a" } },
          { role: "user", content: [{ type: "document", source: { type: "text", data: "d" } }] },
          { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "x" }] },
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "1", name: "n", input: { data: "i", id: "j" } }],
          },
          { role: "assistant", tool_calls: [{ id: "1", function: { name: "n", arguments: '{"a":1}' } }] },
          { role: "tool", tool_call_id: "1", content: "r" },
        ],
        unknown_member: { deep: ["u"] },
      }),
    ).toEqual([
      "text s",
      "text a",
      "text d",
      "thought t",
      "text i",
      "text j",
      'json {"a":1}',
      "text r",
      "text u",
    ]);
    expect(
      await texts([
        {
          role: "user",
          content: [
            { type: "text", text: "q" },
            { type: "file", data: "AAAA", mediaType: "image/png" },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "1", toolName: "n", output: { type: "text", value: "o" } },
          ],
        },
      ]),
    ).toEqual(["text q", "text o"]);
  });
});
