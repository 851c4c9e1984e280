import { expect, it, vi } from "vitest";
import { USAGE } from "../../../tests/support/model-usage";
import { oddTexts } from "../../../tests/support/odd-texts";
import type { ChatModel, ChatModelPart } from "./language-model";
import { wellFormedModel } from "./model-stream.server";

const FINISH: ChatModelPart = {
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage: USAGE,
};

/** A model's answer: its parts and their finish, or an error where there is one. */
function modelOf(given: ChatModelPart[], error?: Error, cancel = () => {}): ChatModel {
  const parts = error ? [...given] : [...given, FINISH];
  return {
    specificationVersion: "v3",
    provider: "far",
    modelId: "m",
    supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: "text", text: "a\ud800" }],
      finishReason: { unified: "stop", raw: "\udc00" },
      usage: USAGE,
      warnings: [],
    }),
    doStream: async () => ({
      stream: new ReadableStream({
        pull(controller) {
          const part = parts.shift();
          if (part) controller.enqueue(part);
          else if (error) controller.error(error);
          else controller.close();
        },
        cancel,
      }),
    }),
  };
}

async function partsOf(model: ChatModel): Promise<ChatModelPart[]> {
  const { stream } = await wellFormedModel(model).doStream({ prompt: [] });
  const parts: ChatModelPart[] = [];
  for await (const part of stream as ReadableStream<ChatModelPart> & AsyncIterable<ChatModelPart>)
    parts.push(part);
  expect(parts.pop()).toEqual(FINISH);
  return parts;
}

const text = (id: string, ...deltas: string[]): ChatModelPart[] => [
  { type: "text-start", id },
  ...deltas.map((delta) => ({ type: "text-delta" as const, id, delta })),
  { type: "text-end", id },
];
const said = (parts: ChatModelPart[], id = "1") =>
  parts.flatMap((part) => (part.type === "text-delta" && part.id === id ? [part.delta] : []));

it.each([
  [["\ud83d", "\ude00"], ["\u{1f600}"]],
  [
    ["a\ud83d", "\ude00b"],
    ["a", "\u{1f600}b"],
  ],
  [
    ["a\ud83d", "", "\ude00b"],
    ["a", "\u{1f600}b"],
  ],
  [
    ["a\ud83d", "b"],
    ["a", "\ufffdb"],
  ],
  [["a\ud83d"], ["a", "\ufffd"]],
  [
    ["\ude00", "", "a"],
    ["\ufffd", "", "a"],
  ],
  [
    ["\ud83d", "\ud83d", "\ude00"],
    ["\ufffd", "\u{1f600}"],
  ],
])("joins characters that come in two deltas: %j", async (deltas, expected) => {
  expect(said(await partsOf(modelOf(text("1", ...deltas))))).toEqual(expected);
});

it("keeps the halves of several texts apart", async () => {
  const [start1, one1, one2, end1] = text("1", "\ud83d", "\ude00");
  const [start2, two1, two2, end2] = text("2", "\ud83e", "\udd73");
  const parts = [start1, start2, one1, two1, one2, two2, end1, end2].filter((part) => part !== undefined);
  const given = await partsOf(modelOf(parts));
  expect([said(given, "1"), said(given, "2")]).toEqual([["\u{1f600}"], ["\u{1f973}"]]);
});

it("says the same however a text is cut", async () => {
  for (const odd of oddTexts(300)) {
    const given = said(await partsOf(modelOf(text("1", ...odd.split(""))))).join("");
    expect(given).toBe(odd.toWellFormed());
  }
});

it("gives what came before a failure, then the failure", async () => {
  const { stream } = await wellFormedModel(
    modelOf(text("1", "a", "b").slice(0, 3), new Error("broke")),
  ).doStream({
    prompt: [],
  });
  const reader = stream.getReader();
  expect(
    [await reader.read(), await reader.read(), await reader.read()].map(({ value }) => value?.type),
  ).toEqual(["text-start", "text-delta", "text-delta"]);
  await expect(reader.read()).rejects.toThrow("broke");
});

it("closes the connection of a stream that reports an error", async () => {
  const cancel = vi.fn();
  const failing = modelOf([{ type: "error", error: new Error("overloaded") }], undefined, cancel);
  const { stream } = await wellFormedModel(failing).doStream({ prompt: [] });
  await expect(stream.getReader().read()).rejects.toThrow("overloaded");
  expect(cancel).toHaveBeenCalledOnce();
});

it("makes everything else well formed, too", async () => {
  const call: ChatModelPart = {
    type: "tool-call",
    toolCallId: "\ud800",
    toolName: "a\udc00",
    input: '{"\ud800":1}',
  };
  expect(await partsOf(modelOf([call]))).toEqual([
    { type: "tool-call", toolCallId: "\ufffd", toolName: "a\ufffd", input: '{"\ufffd":1}' },
  ]);
  expect(await wellFormedModel(modelOf([])).doGenerate({ prompt: [] })).toMatchObject({
    content: [{ type: "text", text: "a\ufffd" }],
    finishReason: { raw: "\ufffd" },
  });
});
