import { expect, it } from "vitest";
import { countTokens } from "~/core/count-tokens";
import type { HistoryMessage } from "../answer/prompt.server";
import type { MessagePart } from "../chat.schema";
import { clipTokens, writtenPieces } from "./summarize.server";

const said = (role: "user" | "assistant", ...parts: MessagePart[]): HistoryMessage => ({
  id: "msg",
  role,
  parts,
});
const text = (words: string): MessagePart => ({ type: "text", id: "0", text: words });

it("writes messages, calls and names of files, but no thoughts", () => {
  const call: MessagePart = {
    type: "tool",
    toolCallId: "c",
    toolName: "kv.get",
    state: "done",
    input: { key: "mast" },
    output: "x".repeat(9000),
  };
  const [piece, ...more] = writtenPieces(
    [
      said("user", {
        type: "attachment",
        id: "att_1",
        name: "a.txt",
        mediaType: "text/plain",
        size: 1,
        tokens: 1,
      }),
      said(
        "assistant",
        { type: "reasoning", id: "0", text: "secret" },
        { type: "step" },
        call,
        text("Done."),
      ),
      said("assistant", { type: "step" }),
    ],
    10_000,
  );
  expect(more).toEqual([]);
  expect(piece).toMatch(
    /^Person:\n\[Attached file "a\.txt"\]\n\nAssistant:\n\[Called kv\.get with \{"key":"mast"\}, which gave "x+\]\nDone\.$/,
  );
  expect(piece?.length).toBeLessThan(2500);
});

it("cuts at messages, and a longer message at the limit, in any script", () => {
  const words = ["船".repeat(300), "ship ".repeat(90), "ship ".repeat(40)];
  const pieces = writtenPieces(
    words.map((one) => said("user", text(one))),
    100,
  );
  expect(pieces).toHaveLength(3);
  for (const piece of pieces) expect(countTokens(piece)).toBeLessThanOrEqual(100);
  expect(writtenPieces([said("user", text("a")), said("user", text("b"))], 100)).toHaveLength(1);
});

it("shortens nothing that is short enough", () => {
  expect(clipTokens("They spoke of ships.", 20)).toBe("They spoke of ships.");
});
