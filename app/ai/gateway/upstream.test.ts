import { describe, expect, it } from "vitest";
import { readNonStreamingResponse } from "./upstream.server";

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const usage = { prompt_tokens: 3, total_tokens: 3 };
const floats = { object: "list", data: [{ object: "embedding", index: 0, embedding: [0.25, -0.5] }], usage };

describe("a provider's non-streaming response", () => {
  it("has its vectors converted to base64 if the provider ignored that request", () => {
    const response = readNonStreamingResponse("openai-embeddings", bytesOf(floats), true);
    expect(response).toMatchObject({ kind: "response", usage: { inputTokens: 3, outputTokens: 0 } });
    if (response.kind !== "response") return;
    const embedding = Buffer.from(new Float32Array([0.25, -0.5]).buffer).toString("base64");
    expect(JSON.parse(Buffer.from(response.body).toString())).toEqual({
      ...floats,
      data: [{ ...floats.data[0], embedding }],
    });
  });

  it.each([
    ["the caller requested numbers", bytesOf(floats), false],
    ["the vectors are already base64", bytesOf({ data: [{ embedding: "AACAPg==" }], usage }), true],
    ["the vectors aren't numbers", bytesOf({ data: [{ embedding: ["x"] }], usage }), true],
  ])("is passed on unchanged if %s", (_, bytes, inBase64) => {
    expect(readNonStreamingResponse("openai-embeddings", bytes, inBase64)).toMatchObject({ body: bytes });
  });
});
