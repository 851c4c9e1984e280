import { describe, expect, it } from "vitest";
import { AppError } from "~/core/errors";
import type { OpenAI } from "../../../../tests/support/sdks";
import { parseChatRequest, toCall } from "./openai-chat.request";

type Body = OpenAI.ChatCompletionCreateParams;

const PIXEL = "data:image/png;base64,iVBORw0KGgo=";
const requestOf = (more: Partial<Body> = {}) => ({
  model: "m",
  messages: [{ role: "user", content: "Hi" }],
  ...more,
});
const call = (more: Partial<Body>, supported = {}) => toCall(parseChatRequest(requestOf(more)), supported);

function refusal(work: () => unknown): { message: string; code: string; param: string | undefined } {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) {
      return { message: error.message, code: error.code, param: Object.keys(error.fields ?? {})[0] };
    }
    throw error;
  }
  throw new Error("Nothing was refused");
}

const parse = (more: object) => () => parseChatRequest({ ...requestOf(), ...more });
const translate = (more: object) => () => toCall(parseChatRequest({ ...requestOf(), ...more }), {});
const content = (...parts: object[]) => ({ messages: [{ role: "user", content: parts }] });
const image = (url: string) => ({ type: "image_url", image_url: { url } });

const calling = (...ids: string[]) => ({
  role: "assistant" as const,
  tool_calls: ids.map((id) => ({
    id,
    type: "function" as const,
    function: { name: "look", arguments: "{}" },
  })),
});
const result = (tool_call_id: string, text: string) => ({
  role: "tool" as const,
  tool_call_id,
  content: text,
});
const sequenceOf = ({ prompt }: ReturnType<typeof call>) =>
  prompt.map(({ role, content }) =>
    role === "tool"
      ? content.map((one) => one.type === "tool-result" && [one.toolCallId, Object(one.output).value])
      : role,
  );

describe("a chat completions request becomes a call", () => {
  it("with what other servers have, without what asks for nothing", () => {
    const thinking = { type: "enabled", budget_tokens: 8192 };
    const nothing = { logit_bias: {}, modalities: ["text"], min_p: 0, repetition_penalty: 1, n: 1 };
    const penalties = { presence_penalty: 0, frequency_penalty: 0 };
    const settings = call({ top_k: 5, thinking, ...nothing, ...penalties } as object);
    expect(settings).toMatchObject({ topK: 5, providerOptions: { console: { effort: "medium" } } });
    expect(settings).not.toHaveProperty("presencePenalty");
    expect(settings).not.toHaveProperty("frequencyPenalty");
    expect(call({ top_k: -1 } as object)).not.toHaveProperty("topK");
  });

  it("in which each call has its result right behind it, and one that is missing is said to be", () => {
    const none = "The call has no result.";
    const messages = [calling("a", "b"), result("b", "B"), { role: "user" as const, content: "And?" }];
    expect(sequenceOf(call({ messages }))).toEqual([
      "assistant",
      [
        ["b", "B"],
        ["a", none],
      ],
      "user",
    ]);
    const late = [calling("a"), { role: "user" as const, content: "And?" }, result("a", "A")];
    expect(sequenceOf(call({ messages: late }))).toEqual(["assistant", [["a", "A"]], "user"]);
    const again = [calling("a"), result("a", "1"), calling("a"), result("a", "2"), calling("c")];
    expect(sequenceOf(call({ messages: again }))).toEqual([
      "assistant",
      [["a", "1"]],
      "assistant",
      [["a", "2"]],
      "assistant",
      [["c", none]],
    ]);
  });

  it("with its messages, the instructions in front", () => {
    const { prompt } = call({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "What is it?" }, image(PIXEL) as never] },
        {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "a cat" },
        { role: "developer", content: [{ type: "text", text: "In French." }] },
      ],
    });
    expect(prompt).toEqual([
      { role: "system", content: "Be brief.\n\nIn French." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me look." },
          { type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: 1 } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "look",
            output: { type: "text", value: "a cat" },
          },
        ],
      },
    ]);
  });

  it("with the results of one turn's calls in one message", () => {
    const one = (id: string) => ({
      id,
      type: "function" as const,
      function: { name: id, arguments: "" },
    });
    const { prompt } = call({
      messages: [
        { role: "user", content: "Go" },
        { role: "assistant", content: null, tool_calls: [one("a"), one("b")] },
        { role: "tool", tool_call_id: "b", content: "2" },
        { role: "tool", tool_call_id: "a", content: "1" },
      ],
    });
    expect(prompt.map((message) => [message.role, message.content.length])).toEqual([
      ["user", 1],
      ["assistant", 2],
      ["tool", 2],
    ]);
  });

  it("with its settings, and without those that aren't set", () => {
    const { prompt, ...settings } = call({
      max_tokens: 5,
      max_completion_tokens: 7,
      temperature: 0,
      top_p: 0.5,
      stop: "END",
      seed: 3,
      presence_penalty: 1,
      frequency_penalty: null,
      reasoning_effort: "high",
      user: "u1",
      parallel_tool_calls: false,
      response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" } } },
    });
    expect(prompt).toHaveLength(1);
    expect(settings).toEqual({
      maxOutputTokens: 7,
      temperature: 0,
      topP: 0.5,
      stopSequences: ["END"],
      seed: 3,
      presencePenalty: 1,
      responseFormat: { type: "json", name: "n", schema: { type: "object" } },
      providerOptions: {
        console: { effort: "high" },
        openai: { user: "u1", parallelToolCalls: false },
        openaiCompatible: { parallel_tool_calls: false },
        anthropic: { metadata: { userId: "u1" }, disableParallelToolUse: true },
      },
    });
  });

  it.each([129, 1000])("with %d tools", (count) => {
    const names = Array.from({ length: count }, (_, at) => `f${at}`);
    const tools = names.map((name) => ({ type: "function" as const, function: { name } }));
    expect(call({ tools }).tools?.map(({ name }) => name)).toEqual(names);
  });

  it("with its tools and the choice among them", () => {
    const { tools, toolChoice } = call({
      tools: [
        { type: "function", function: { name: "now" } },
        {
          type: "function",
          function: { name: "add", description: "Adds", strict: true, parameters: { type: "object" } },
        },
      ],
      tool_choice: { type: "function", function: { name: "add" } },
    });
    expect(tools).toEqual([
      { type: "function", name: "now", inputSchema: { type: "object", properties: {} } },
      { type: "function", name: "add", description: "Adds", strict: true, inputSchema: { type: "object" } },
    ]);
    expect(toolChoice).toEqual({ type: "tool", toolName: "add" });
    expect(call({ tool_choice: "none" })).not.toHaveProperty("toolChoice");
  });

  it("with invalid arguments from a model", () => {
    const { prompt } = call({
      messages: [
        {
          role: "assistant",
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"a":' } }],
        },
      ],
    });
    expect(prompt[0]?.content[0]).toMatchObject({ input: { rawInvalidInput: '{"a":' } });
  });

  it("with an image's address only where the model takes one", () => {
    const messages = [{ role: "user" as const, content: [image("https://a.example/Cat.png") as never] }];
    const { prompt } = call({ messages }, { "image/*": [/^https:\/\/a\.example\/.*$/] });
    expect(prompt[0]?.content[0]).toEqual({
      type: "file",
      mediaType: "image/*",
      data: new URL("https://a.example/Cat.png"),
    });
    expect(refusal(translate({ messages }))).toEqual({
      code: "invalid",
      param: "messages.0.content.0.image_url",
      message:
        "messages.0.content.0.image_url: This model doesn't support image URLs. Send the image as a base64 data URL instead.",
    });
  });
});

describe("a chat completions request is refused, naming the field", () => {
  it.each([
    ["no object", () => parseChatRequest("hi"), undefined, "The request must be a JSON object."],
    ["no model", parse({ model: "" }), "model", "A model is required."],
    ["no messages", parse({ messages: [] }), "messages", "At least one message"],
    [
      "too many messages",
      parse({ messages: Array.from({ length: 5001 }, () => ({ role: "user", content: "" })) }),
      "messages",
      "At most 5,000 messages",
    ],
    [
      "too many parts",
      parse({ messages: Array.from({ length: 5 }, () => ({ content: Array(4500).fill(0) })) }),
      "messages",
      "At most 20,000 content parts",
    ],
    ["an unknown role", parse({ messages: [{ role: "robot" }] }), "messages.0.role", "The role must be"],
    ["no content", parse({ messages: [{ role: "user" }] }), "messages.0.content", "no content"],
    [
      "content of no kind",
      parse({ messages: [{ role: "user", content: 7 }] }),
      "messages.0.content",
      "a string or",
    ],
    ["a text part without text", parse(content({ type: "text" })), "messages.0.content.0.text", "needs text"],
    [
      "an image that is too large",
      parse(content(image(`data:image/png;base64,${"A".repeat(14_000_000)}`))),
      "messages.0.content.0.image_url",
      "The image is 10.5 MB; at most 10 MB is allowed.",
    ],
    [
      "an image that isn't base64",
      parse(content(image("data:image/png;base64,<svg>"))),
      "messages.0.content.0.image_url",
      "must be base64",
    ],
    [
      "an image's file address",
      parse(content(image("file:///etc/passwd"))),
      "messages.0.content.0.image_url",
      "base64 data URL or an http(s) URL",
    ],
    [
      "a tool's message without a call",
      parse({ messages: [{ role: "tool", content: "x" }] }),
      "messages.0.tool_call_id",
      "needs a tool_call_id",
    ],
    [
      "a tool schema that isn't one",
      parse({ tools: [{ type: "function", function: { name: "f", parameters: { type: "dict" } } }] }),
      "tools.0.function.parameters.type",
      '"dict" is not a JSON Schema type.',
    ],
    // Nothing is said of each: they are counted first.
    [
      "100,000 tools",
      parse({ tools: Array.from({ length: 100_000 }, () => null) }),
      "tools",
      "At most 10,000 tools are allowed.",
    ],
    ["five stops", parse({ stop: ["", "", "", "", ""] }), "stop", "At most 4 stop sequences"],
    ["a hot temperature", parse({ temperature: 3 }), "temperature", "<=2"],
  ])("%s", (_, work, param, message) => {
    const refused = refusal(work);
    expect(refused).toMatchObject({ code: "invalid", param });
    expect(refused.message).toContain(message);
  });

  it("with more text than any model reads", () => {
    const messages = Array.from({ length: 10 }, () => ({ role: "user", content: "x".repeat(1_000_000) }));
    expect(refusal(parse({ messages }))).toEqual({
      code: "too_large",
      param: "messages",
      message: "The messages contain 10.0 MB of text; at most 4 MB is allowed.",
    });
  });

  it("with more images than fit", () => {
    const many = Array.from({ length: 101 }, () => image(PIXEL));
    expect(refusal(parse(content(...many))).message).toBe("There are 101 images; at most 100 are allowed.");
  });

  it.each([
    ["sound", content({ type: "input_audio", input_audio: {} }), "messages.0.content.0"],
    [
      "an image of another type",
      content(image("data:image/heic;base64,AAAA")),
      "messages.0.content.0.image_url",
    ],
    ["several choices", { n: 2 }, "n"],
    ["log probabilities", { logprobs: true }, "logprobs"],
    ["a bias", { logit_bias: { 50256: -100 } }, "logit_bias"],
    ["a prediction", { prediction: { type: "content", content: "x" } }, "prediction"],
    ["speech", { modalities: ["text", "audio"] }, "modalities"],
    ["a least probability", { min_p: 0.1 }, "min_p"],
    ["a penalty for repetition", { repetition_penalty: 1.1 }, "repetition_penalty"],
    ["guided output", { guided_json: { type: "object" } }, "guided_json"],
    ["a custom tool", { tools: [{ type: "custom", custom: { name: "x" } }] }, "tools.0"],
    [
      "1001 tools",
      { tools: Array.from({ length: 1001 }, () => ({ type: "function", function: { name: "f" } })) },
      "tools",
    ],
    [
      "a tool that is described at length",
      { tools: [{ type: "function", function: { name: "f", description: "x".repeat(20_001) } }] },
      "tools.0",
    ],
    [
      "a tool call's long id",
      {
        messages: [
          {
            role: "assistant",
            tool_calls: [{ id: "x".repeat(201), type: "function", function: { name: "f", arguments: "" } }],
          },
        ],
      },
      "messages.0",
    ],
    ["a grammar", { response_format: { type: "grammar" } }, "response_format"],
    [
      "a result without its call",
      { messages: [{ role: "tool", tool_call_id: "x", content: "" }] },
      "messages.0.tool_call_id",
    ],
  ])("only where it has to be translated: %s", (_, more, param) => {
    expect(parse(more)).not.toThrow();
    expect(refusal(translate(more)).param).toBe(param);
  });

  it("but keeps unknown members for the provider", () => {
    const given = { ...requestOf(), top_k: 5, messages: [{ role: "user", content: "Hi", cache: true }] };
    expect(parseChatRequest(given)).toEqual(given);
  });
});
