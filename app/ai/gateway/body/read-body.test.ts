import { describe, expect, it } from "vitest";
import { readCallBody } from "./read-body";

describe("a body that no parser should meet", () => {
  it.each([
    ["a key with an unknown escape", '{"\\x":1}'],
    ["a key with half a code", '{"\\u12":1}'],
    ["a key that never ends", '{"a\\"'],
  ])("has %s", (_, text) => {
    expect(() => readCallBody("openai-chat", Buffer.from(text))).toThrow(
      expect.objectContaining({ code: "invalid", message: "The body is not valid JSON." }),
    );
  });

  it("reports excessive nesting", () => {
    expect(() => readCallBody("openai-chat", Buffer.from("[".repeat(100)))).toThrow(/nests deeper than 64/);
  });
});
