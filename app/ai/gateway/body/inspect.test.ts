import { describe, expect, it } from "vitest";
import { inspect } from "./inspect";
import { runBodyTask } from "./worker-task";

describe("a body that no parser should meet", () => {
  it.each([
    ["a key with an unknown escape", '{"\\x":1}'],
    ["a key with half a code", '{"\\u12":1}'],
    ["a key that never ends", '{"a\\"'],
  ])("has %s: refused, here and in the thread", (_, text) => {
    const bytes = Buffer.from(text);
    expect(() => inspect("openai-chat", bytes)).toThrow(
      expect.objectContaining({ code: "invalid", message: "The body is not valid JSON." }),
    );
    expect(runBodyTask({ work: "check", protocol: "openai-chat", bytes, inBase64: false })).toMatchObject({
      kind: "refused",
      code: "invalid",
      message: "The body is not valid JSON.",
    });
  });

  it("reports excessive nesting", () => {
    expect(() => inspect("openai-chat", Buffer.from("[".repeat(100)))).toThrow(/nests deeper than 64/);
  });
});
