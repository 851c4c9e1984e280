import { describe, expect, it } from "vitest";
import { requestDetails, responseDetails } from "./call-details";

const read = (frames: readonly unknown[]) => frames.reduce(responseDetails, {});

describe("what a trace says of a response", () => {
  it.each([
    [
      "a chat completion",
      [{ id: "c1", model: "gpt-5-2026", choices: [{ finish_reason: "stop" }, { finish_reason: "length" }] }],
      { responseId: "c1", responseModel: "gpt-5-2026", finishReasons: ["stop", "length"] },
    ],
    [
      "a streamed chat completion",
      [
        { id: "c1", model: "gpt-5-2026", choices: [{ delta: { content: "Hi" }, finish_reason: null }] },
        { id: "c1", model: "gpt-5-2026", choices: [{ delta: {}, finish_reason: "tool_calls" }] },
        { id: "c1", model: "gpt-5-2026", choices: [], usage: {} },
      ],
      { responseId: "c1", responseModel: "gpt-5-2026", finishReasons: ["tool_calls"] },
    ],
    [
      "a streamed message",
      [
        { type: "message_start", message: { id: "msg_1", model: "claude-5", stop_reason: null } },
        { type: "content_block_delta", delta: { type: "text_delta", text: "Hi" } },
        { type: "message_delta", delta: { stop_reason: "max_tokens" } },
      ],
      { responseId: "msg_1", responseModel: "claude-5", finishReasons: ["max_tokens"] },
    ],
    [
      "a streamed response",
      [
        {
          type: "response.created",
          response: { object: "response", id: "r1", model: "m", status: "in_progress" },
        },
        { type: "response.output_text.delta", delta: "Hi" },
        {
          type: "response.incomplete",
          response: {
            object: "response",
            id: "r1",
            status: "incomplete",
            incomplete_details: { reason: "max_output_tokens" },
          },
        },
      ],
      { responseId: "r1", responseModel: "m", finishReasons: ["max_output_tokens"] },
    ],
    ["embeddings", [{ object: "list", data: [], model: "e" }], { responseModel: "e", finishReasons: [] }],
    ["something else", [null, [], "text", { id: 7, model: {} }, { choices: "none" }], {}],
  ])("%s", (_, frames, details) => {
    expect(read(frames)).toEqual(details);
  });

  it("is bounded", () => {
    const frames = Array.from({ length: 50 }, () => ({ model: "m".repeat(1000), stop_reason: "stop" }));
    const details = read(frames);
    expect([details.responseModel?.length, details.finishReasons?.length]).toEqual([200, 16]);
  });
});

it("what a trace says of a request is read in every protocol", () => {
  const request = {
    max_output_tokens: 9,
    temperature: 0,
    top_p: 0.5,
    top_k: 4,
    seed: 7,
    presence_penalty: "1",
  };
  expect(requestDetails(request, true)).toEqual({
    isStream: true,
    maxTokens: 9,
    temperature: 0,
    topP: 0.5,
    topK: 4,
    seed: 7,
  });
});
