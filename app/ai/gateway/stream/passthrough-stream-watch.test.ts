import { describe, expect, it } from "vitest";
import { usageOfBody } from "../protocols/index";
import { FrameReader } from "../protocols/sse-frames";
import { StreamWatch } from "./passthrough-stream";

const data = (value: unknown) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
const event = (type: string, more: object = {}) =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
const delta = (part: object, finish: string | null = null) =>
  data({ choices: [{ index: 0, delta: part, finish_reason: finish }] });

function watched(protocol: ConstructorParameters<typeof StreamWatch>[0], frames: Buffer[]) {
  const watch = new StreamWatch(protocol);
  const reader = new FrameReader();
  const kinds = frames.flatMap((frame) => reader.push(frame)).map((frame) => watch.take(frame));
  return { kinds, finished: watch.finished, usage: watch.usage, textBytes: watch.textBytes };
}

describe("the length of an answer", () => {
  const text = "ü".repeat(60);
  const bytesOf = (protocol: Parameters<typeof watched>[0], frames: Buffer[]) =>
    watched(protocol, frames).textBytes;

  it("is that of its texts, in whatever pieces they come", () => {
    expect(bytesOf("openai-chat", [delta({ role: "assistant", content: text }), delta({}, "stop")])).toBe(
      120,
    );
    expect(
      bytesOf(
        "openai-chat",
        [...text].map((content) => delta({ content })),
      ),
    ).toBe(120);
    const parts = [{ type: "text", text }];
    expect(bytesOf("openai-chat", [delta({ content: parts }), delta({ reasoning_content: text })])).toBe(240);
    const call = { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: text } };
    expect(bytesOf("openai-chat", [delta({ tool_calls: [call] })])).toBe(120);
    const block = event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
    expect(bytesOf("anthropic-messages", [event("message_start", { message: {} }), block])).toBe(120);
    expect(bytesOf("openai-responses", [event("response.output_text.delta", { delta: text })])).toBe(120);
  });
});

describe("a passed stream of OpenAI's chat", () => {
  it("is classified by frame, with its usage", () => {
    const frames = [
      Buffer.from(": OPENROUTER PROCESSING\n\n"),
      delta({ role: "assistant", content: "", refusal: null }),
      delta({ content: "Hi" }),
      Buffer.from('data: {"choices": [{"delta": {"content": "spaced"}}]}\r\n\r\n'),
      delta({ reasoning_content: "Hm" }),
      delta({ tool_calls: [{ index: 0, function: { arguments: "{" } }] }),
      delta({ content: 'a "content":"" inside' }),
      delta({}, "stop"),
      data({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }),
      Buffer.from("data: [DONE]\n\n"),
    ];
    expect(watched("openai-chat", frames)).toMatchObject({
      kinds: ["preamble", "preamble", "token", "token", "thought", "token", "token", "rest", "usage", "end"],
      finished: true,
      usage: { inputTokens: 7, outputTokens: 3 },
    });
  });

  it("has its usage in the last frame of the response at some servers", () => {
    const last = { choices: [{ delta: { content: "." }, finish_reason: "stop" }] };
    const { kinds, finished, usage } = watched("openai-chat", [
      data({ ...last, usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    ]);
    expect(kinds).toEqual(["token"]);
    expect(finished).toBe(true);
    expect(usage).toEqual({ inputTokens: 1, outputTokens: 2 });
  });

  it("isn't finished before a finish reason", () => {
    expect(watched("openai-chat", [delta({ content: "Hi" })])).toMatchObject({ finished: false, usage: {} });
  });

  it.each([
    ["an error", '{"error":{"message":"overloaded"}}', "error"],
    ["half a JSON", '{"choices":[{"delta":{"content":"Hal', "broken"],
    ["a web page", "<html>", "broken"],
    ["another form", '{"choices":{}}', "broken"],
    ["no usage", '{"choices":[],"usage":null}', "preamble"],
    ["no choices", '{"choices":null,"usage":null}', "preamble"],
    ["usage without choices", '{"choices":null,"usage":{"prompt_tokens":1}}', "usage"],
  ])("can hold %s", (_, text, kind) => {
    expect(watched("openai-chat", [Buffer.from(`data: ${text}\n\n`)]).kinds).toEqual([kind]);
  });
});

describe("a passed stream of Anthropic's messages", () => {
  it("is classified by event, with merged usage", () => {
    const frames = [
      event("message_start", {
        message: { usage: { input_tokens: 5, cache_read_input_tokens: 20, output_tokens: 1 } },
      }),
      event("ping"),
      event("content_block_start", { index: 0 }),
      event("content_block_delta", { delta: { type: "text_delta", text: "Hi" } }),
      event("content_block_stop"),
      event("message_delta", { usage: { output_tokens: 9 } }),
      event("message_stop"),
    ];
    expect(watched("anthropic-messages", frames)).toMatchObject({
      kinds: ["preamble", "preamble", "preamble", "token", "rest", "rest", "end"],
      finished: true,
      usage: { inputTokens: 25, outputTokens: 9, cacheReadTokens: 20 },
    });
  });

  it.each([
    ["an error", event("error", { error: { type: "overloaded_error" } }), "error"],
    ["a frame without its name", data({ type: "content_block_delta" }), "token"],
    ["half a frame", Buffer.from('event: content_block_delta\ndata: {"type":"con\n\n'), "broken"],
  ])("can hold %s", (_, frame, kind) => {
    expect(watched("anthropic-messages", [frame]).kinds).toEqual([kind]);
  });
});

describe("a passed stream of OpenAI's responses", () => {
  it("is classified by event, with usage at the end", () => {
    const frames = [
      event("response.created", { response: { usage: null } }),
      event("response.output_item.added"),
      event("response.output_text.delta", { delta: "Hi" }),
      event("response.output_text.done"),
      event("response.completed", { response: { usage: { input_tokens: 4, output_tokens: 2 } } }),
    ];
    expect(watched("openai-responses", frames)).toMatchObject({
      kinds: ["preamble", "preamble", "token", "rest", "end"],
      finished: true,
      usage: { inputTokens: 4, outputTokens: 2 },
    });
    expect(watched("openai-responses", [event("response.failed")]).kinds).toEqual(["error"]);
  });

  it("is remembered for an error at its end, without the provider's own words", () => {
    const watch = new StreamWatch("openai-responses");
    const frames = [
      event("response.created", { response: { id: "resp_1", output: [] }, sequence_number: 0 }),
      event("response.output_text.delta", { delta: "Hi", sequence_number: 4 }),
      event("response.failed", { response: { id: "resp_1", error: { message: "x" } }, sequence_number: 5 }),
    ];
    for (const frame of new FrameReader().push(Buffer.concat(frames))) watch.take(frame);
    expect(watch.progress).toEqual({ response: { id: "resp_1", output: [] }, sequence: 4 });
  });
});

describe("the usage of a whole response", () => {
  it("is read in every protocol", () => {
    const chat = { usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } };
    expect(usageOfBody("openai-chat", chat)).toEqual({ inputTokens: 3, outputTokens: 4 });
    const embeddings = { usage: { prompt_tokens: 3, total_tokens: 3 } };
    expect(usageOfBody("openai-embeddings", embeddings)).toEqual({ inputTokens: 3, outputTokens: 0 });
    const message = { usage: { input_tokens: 1, cache_creation_input_tokens: 2, output_tokens: 3 } };
    expect(usageOfBody("anthropic-messages", message)).toEqual({
      inputTokens: 3,
      outputTokens: 3,
      cacheWriteTokens: 2,
    });
  });

  it.each([[null], ["text"], [{}], [{ usage: "many" }], [{ usage: { prompt_tokens: -1 } }]])(
    "is unknown where %j reports none",
    (body) => {
      expect(usageOfBody("openai-chat", body)).toEqual({});
    },
  );
});

it("tells thoughts from the answer where frames are named", () => {
  const thought = event("content_block_delta", {
    index: 0,
    delta: { type: "thinking_delta", thinking: "Hm" },
  });
  const text = event("content_block_delta", { index: 1, delta: { type: "text_delta", text: "Hi" } });
  expect(watched("anthropic-messages", [thought, text]).kinds).toEqual(["thought", "token"]);
  const frames = [
    event("response.reasoning_summary_text.delta", { delta: "Hm" }),
    event("response.output_text.delta", { delta: "Hi" }),
  ];
  expect(watched("openai-responses", frames).kinds).toEqual(["thought", "token"]);
});
