import { describe, expect, it } from "vitest";
import { AppError } from "~/core/errors";
import { explainedModel } from "./explained-model.server";
import { type ChatModel, type ChatModelPart, UNKNOWN_USAGE } from "./language-model";

const call = { prompt: [] };
const finish = (unified: "stop" | "other", raw?: string): ChatModelPart => ({
  type: "finish",
  finishReason: { unified, raw },
  usage: UNKNOWN_USAGE,
});
const text: ChatModelPart = { type: "text-delta", id: "0", delta: "Hello" };

/** A model whose far end gives these parts; an Error is thrown where it stands. */
function model(parts: (ChatModelPart | Error)[], headers: Record<string, string> = {}): ChatModel {
  const far: ChatModel = {
    specificationVersion: "v3",
    provider: "far",
    modelId: "m",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new TypeError("fetch failed")),
    doStream: async () => ({
      stream: new ReadableStream<ChatModelPart>({
        pull(controller) {
          const next = parts.shift();
          if (next === undefined) controller.close();
          else if (next instanceof Error) controller.error(next);
          else controller.enqueue(next);
        },
      }),
      response: { headers },
    }),
  };
  return explainedModel(far, { provider: "Far", model: "m" });
}

async function read(source: ChatModel): Promise<ChatModelPart[]> {
  const reader = (await source.doStream(call)).stream.getReader();
  const parts: ChatModelPart[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
  return parts;
}
const saying = (sentence: RegExp) => ({
  type: "error",
  error: expect.objectContaining({ message: expect.stringMatching(sentence) }),
});
const ended = { type: "finish", finishReason: { unified: "error" } };

describe("explainedModel", () => {
  it("leaves a good stream as it is", async () => {
    expect(await read(model([text, finish("stop", "stop")]))).toEqual([text, finish("stop", "stop")]);
    expect(await read(model([text, finish("other", "SAFETY")]))).toEqual([text, finish("other", "SAFETY")]);
  });

  it.each([
    [
      "an error in the stream",
      [text, { type: "error" as const, error: { type: "overloaded_error" } }],
      /trouble of its own/,
    ],
    ["an end without a reason", [text, finish("other")], /broke off/],
    ["an end without an end", [text], /broke off/],
    ["a failure of the stream", [text, new SyntaxError("secret")], /could not answer/],
  ])("ends at %s, keeping what came before", async (_, parts, sentence) => {
    expect(await read(model([...parts]))).toMatchObject([text, saying(sentence), ended]);
  });

  it("takes a document in a stream's place for what it is", async () => {
    const json = model([finish("other")], { "content-type": "application/json; charset=utf-8" });
    await expect(json.doStream(call)).rejects.toThrow("could not be read");
  });

  it("lets an abort pass as an abort", async () => {
    await expect(read(model([text, new DOMException("x", "AbortError")]))).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("explains a failure without a stream too", async () => {
    await expect(model([]).doGenerate(call)).rejects.toThrow(AppError);
  });
});
