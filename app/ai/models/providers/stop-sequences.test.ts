import { expect, it } from "vitest";
import { type ChatModel, type ChatModelPart, UNKNOWN_USAGE } from "../language-model";
import { cuttingAtStops } from "./stop-sequences";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
const finishReason = { unified: "stop" as const, raw: "completed" };

/** The answer to a call, from a model that writes these pieces and then calls a tool. */
async function answer(pieces: readonly string[], stopSequences: string[]) {
  const parts: ChatModelPart[] = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    ...pieces.map((delta) => ({ type: "text-delta" as const, id: "1", delta })),
    { type: "text-end", id: "1" },
    { type: "tool-call", toolCallId: "c", toolName: "t", input: "{}" },
    { type: "finish", finishReason, usage: UNKNOWN_USAGE },
  ];
  const text = pieces.join("");
  const call = { type: "tool-call" as const, toolCallId: "c", toolName: "t", input: "{}" };
  const model: ChatModel = {
    specificationVersion: "v3",
    provider: "test",
    modelId: "test",
    supportedUrls: {},
    async doStream(given) {
      expect(given).not.toHaveProperty("stopSequences");
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
    async doGenerate(given) {
      expect(given).not.toHaveProperty("stopSequences");
      return { content: [{ type: "text", text }, call], finishReason, usage: UNKNOWN_USAGE, warnings: [] };
    },
  };
  const cut = cuttingAtStops(model);
  const streamed: ChatModelPart[] = [];
  for await (const part of (await cut.doStream({ prompt, stopSequences })).stream) streamed.push(part);
  const whole = await cut.doGenerate({ prompt, stopSequences });
  return { streamed, whole };
}

const textOf = (parts: readonly ChatModelPart[]) =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");

it("ends an answer before the first sequence, as it ends without a tool's call", async () => {
  const { streamed, whole } = await answer(["One", " E", "N", "D two ", "STOP"], ["STOP", "END"]);
  expect(streamed.map(({ type }) => type)).toEqual([
    "stream-start",
    "text-start",
    "text-delta",
    "text-delta",
    "text-end",
    "finish",
  ]);
  const stopped = {
    finishReason: { unified: "stop", raw: "stop_sequence" },
    providerMetadata: { anthropic: { stopSequence: "END" } },
  };
  expect(streamed.at(-1)).toMatchObject(stopped);
  expect(whole).toMatchObject({ ...stopped, content: [{ type: "text", text: "One " }] });
  expect(textOf(streamed)).toBe("One ");
});

it("leaves an answer without any as it is", async () => {
  const { streamed, whole } = await answer(["One E", "N"], ["END"]);
  expect(textOf(streamed)).toBe("One EN");
  expect(streamed.at(-1)).toMatchObject({ finishReason });
  expect(streamed.some(({ type }) => type === "tool-call")).toBe(true);
  expect(whole.content).toHaveLength(2);
});

it("writes the same in any pieces", async () => {
  const text = "abaabababbaab";
  for (const stops of [["aabb"], ["abb", "bab"], ["bb"], ["aaa"], ["abab", "b"]])
    for (let size = 1; size <= 5; size++) {
      const { streamed, whole } = await answer(text.match(new RegExp(`.{1,${size}}`, "g")) ?? [], stops);
      const [first] = whole.content;
      expect(textOf(streamed)).toBe(first?.type === "text" ? first.text : undefined);
    }
});

it("refuses sequences that are too long to look for", async () => {
  await expect(answer(["a"], ["a".repeat(1001)])).rejects.toMatchObject({ code: "invalid" });
});
