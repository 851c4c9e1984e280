import { describe, expect, it } from "vitest";
import { AppError } from "~/core/errors";
import type { Anthropic } from "../../../../tests/support/sdks";
import { messagesToCall, parseMessagesRequest } from "./anthropic-messages.request";

type Body = Anthropic.MessageCreateParams;

const requestOf = (more: object = {}) => ({
  model: "m",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hi" }],
  ...more,
});
const call = (more: Partial<Body>, supported = {}) =>
  messagesToCall(parseMessagesRequest(requestOf(more)), supported);
const user = (...content: object[]) => ({ messages: [{ role: "user", content }] });
const base64 = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } as const;

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

describe("a Messages request becomes a call", () => {
  it("with its messages; a tool's images follow its result", () => {
    const { prompt } = call({
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Be kind." },
      ],
      messages: [
        { role: "user", content: [{ type: "image", source: base64 }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "s" },
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "t1", name: "look", input: { at: 1 } },
            { type: "tool_use", id: "t2", name: "fail", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t1",
              content: [
                { type: "text", text: "Here." },
                { type: "image", source: base64 },
              ],
            },
            { type: "tool_result", tool_use_id: "t2", content: "No.", is_error: true },
            { type: "text", text: "Well?" },
          ],
        },
      ],
    });
    const image = { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" };
    const result = (toolCallId: string, toolName: string, output: object) => ({
      type: "tool-result",
      toolCallId,
      toolName,
      output,
    });
    expect(prompt).toEqual([
      { role: "system", content: "Be brief.\n\nBe kind." },
      { role: "user", content: [image] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me look." },
          { type: "tool-call", toolCallId: "t1", toolName: "look", input: { at: 1 } },
          { type: "tool-call", toolCallId: "t2", toolName: "fail", input: {} },
        ],
      },
      {
        role: "tool",
        content: [
          result("t1", "look", {
            type: "text",
            value: "Here.\n\n(Its images are in the next message.)",
          }),
          result("t2", "fail", { type: "error-text", value: "No." }),
        ],
      },
      { role: "user", content: [image, { type: "text", text: "Well?" }] },
    ]);
  });

  it("with its settings", () => {
    const { prompt, ...settings } = call({
      stop_sequences: ["END"],
      tools: [{ name: "add", description: "Adds", input_schema: { type: "object" } }],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      output_config: { effort: "low", format: { type: "json_schema", schema: { type: "object" } } },
    });
    expect(prompt).toHaveLength(1);
    expect(settings).toEqual({
      maxOutputTokens: 100,
      stopSequences: ["END"],
      tools: [{ type: "function", name: "add", description: "Adds", inputSchema: { type: "object" } }],
      toolChoice: { type: "required" },
      responseFormat: { type: "json", schema: { type: "object" } },
      providerOptions: {
        console: { effort: "low" },
        openai: { parallelToolCalls: false, strictJsonSchema: false },
        openaiCompatible: { parallel_tool_calls: false, strictJsonSchema: false },
        anthropic: { disableParallelToolUse: true },
      },
    });
  });

  it.each([
    ["all of whose fields are required", { a: {} }, ["a"], false, true],
    ["with an optional field", { a: {}, note: {} }, ["a"], false, false],
    ["that allows others", { a: {} }, ["a"], undefined, false],
    ["with such an object inside", { a: { type: ["object", "null"] } }, ["a"], false, false],
  ])("with a schema %s, in both forms", (_, properties, required, additionalProperties, isStrict) => {
    const schema = { type: "object", properties, required, additionalProperties };
    const format = { type: "json_schema", schema } as const;
    for (const more of [{ output_format: format }, { output_config: { format } }]) {
      const { responseFormat, providerOptions } = call(more as Partial<Body>);
      expect(responseFormat).toEqual({ type: "json", schema });
      expect(providerOptions?.openai?.strictJsonSchema).toBe(isStrict);
      expect(providerOptions?.openaiCompatible?.strictJsonSchema).toBe(isStrict);
    }
  });

  it.each([
    [{ type: "enabled", budget_tokens: 1024 }, "low"],
    [{ type: "enabled", budget_tokens: 10_000 }, "high"],
    [{ type: "enabled", budget_tokens: 100_000 }, "max"],
    [{ type: "disabled" }, "none"],
    [{ type: "adaptive" }, undefined],
  ] as const)("with the effort that thinks for as long as %j", (thinking, effort) => {
    expect(call({ thinking }).providerOptions?.console?.effort).toBe(effort);
    expect(call({ thinking, output_config: { effort: "medium" } }).providerOptions?.console).toEqual({
      effort: "medium",
    });
  });

  it("without edits of the context that change nothing here", () => {
    const context_management = { edits: [{ type: "clear_thinking_20251015", keep: "all" }] };
    expect(call({ context_management, mcp_servers: [] } as object)).toMatchObject({ maxOutputTokens: 100 });
  });

  it("with an image's type as it is registered, and parameters of a nullable object", () => {
    const source = { ...base64, media_type: "image/jpg" };
    const input_schema = { type: ["object", "null"], properties: {} };
    const more = { ...user({ type: "image", source }), tools: [{ name: "f", input_schema }] };
    const { prompt, tools } = messagesToCall(parseMessagesRequest(requestOf(more)), {});
    expect(prompt[0]?.content[0]).toMatchObject({ mediaType: "image/jpeg" });
    expect(tools).toMatchObject([{ inputSchema: { type: "object" } }]);
  });

  it("with an image's address only where the model takes one", () => {
    const more = user({ type: "image", source: { type: "url", url: "https://a.example/cat.png" } });
    const { prompt } = messagesToCall(parseMessagesRequest(requestOf(more)), { "*": [/.*/] });
    expect(prompt[0]?.content[0]).toMatchObject({ data: new URL("https://a.example/cat.png") });
    const refused = refusal(() => messagesToCall(parseMessagesRequest(requestOf(more)), {}));
    expect(refused.param).toBe("messages.0.content.0.source");
    expect(refused.message).toContain("Send the image as a base64 data URL");
  });
});

describe("a Messages request is refused, naming the field", () => {
  it.each([
    ["no length", { max_tokens: undefined }, "max_tokens", "is required"],
    [
      "an unknown role",
      { messages: [{ role: "tool", content: "" }] },
      "messages.0.role",
      "user or assistant",
    ],
    ["a text block without text", user({ type: "text" }), "messages.0.content.0.text", "needs text"],
    ["an image without source", user({ type: "image" }), "messages.0.content.0.source", "needs a source"],
    [
      "an image that is too large",
      user({ type: "image", source: { ...base64, data: "A".repeat(14_000_000) } }),
      "messages.0.content.0.source",
      "The image is 10.5 MB; at most 10 MB",
    ],
    [
      "a result without its call's id",
      user({ type: "tool_result" }),
      "messages.0.content.0.tool_use_id",
      "needs a tool_use_id",
    ],
    ["a tool without schema", { tools: [{ name: "f" }] }, "tools.0.input_schema", "requires input_schema"],
    [
      "a tool schema that isn't one",
      { tools: [{ name: "f", input_schema: { type: "object", properties: [] } }] },
      "tools.0.input_schema.properties",
      "an object of schemas",
    ],
    ["a hot temperature", { temperature: 1.5 }, "temperature", "<=1"],
  ])("%s", (_, more, param, message) => {
    const refused = refusal(() => parseMessagesRequest(requestOf(more)));
    expect(refused).toMatchObject({ code: "invalid", param });
    expect(refused.message).toContain(message);
  });

  it("with more text than any model reads, wherever it is", () => {
    const result = { type: "tool_result", tool_use_id: "t", content: "x".repeat(5_000_000) };
    const messages = [{ role: "user", content: [result] }];
    const system = [{ type: "text", text: "y".repeat(5_000_000) }];
    expect(refusal(() => parseMessagesRequest(requestOf({ messages, system })))).toEqual({
      code: "too_large",
      param: "messages",
      message: "The messages contain 10.0 MB of text; at most 4 MB is allowed.",
    });
  });

  it.each([
    ["a document", user({ type: "document", source: { type: "file" } }), "messages.0.content.0"],
    [
      "an image of another type in a tool's result",
      user({
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "image", source: { ...base64, media_type: "image/svg+xml" } }],
      }),
      "messages.0.content.0.content.0.source",
    ],
    [
      "a tool of Anthropic's own",
      { tools: [{ type: "web_search_20250305", name: "web_search" }] },
      "tools.0",
    ],
    [
      "a server that Anthropic calls",
      { mcp_servers: [{ type: "url", url: "https://a.example", name: "a" }] },
      "mcp_servers",
    ],
    ["a container", { container: "c" }, "container"],
    [
      "an edit of the context",
      { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
      "context_management",
    ],
    [
      "an edit whose type is no text",
      { context_management: { edits: [{ type: { toString: 1 } }] } },
      "context_management",
    ],
    ["a place", { inference_geo: "us" }, "inference_geo"],
    ["a format without schema", { output_format: { type: "json_schema" } }, "output_format"],
    [
      "a result without its call",
      user({ type: "tool_result", tool_use_id: "t" }),
      "messages.0.content.0.tool_use_id",
    ],
  ])("only where it has to be translated: %s", (_, more, param) => {
    const request = parseMessagesRequest(requestOf(more));
    expect(refusal(() => messagesToCall(request, {})).param).toBe(param);
  });
});

it("is refused for its thread, which holds the messages that it lacks", () => {
  const thread = { type: "continue", previous_message_id: "msg_1" };
  const request = parseMessagesRequest(requestOf({ messages: [], thread }));
  expect(() => messagesToCall(request, {})).toThrow(
    expect.objectContaining({ own: { details: expect.objectContaining({ unsupported: ["thread"] }) } }),
  );
  for (const more of [{}, { thread: { type: "create" } }])
    expect(refusal(() => parseMessagesRequest(requestOf({ messages: [], ...more })))).toMatchObject({
      param: "messages",
      message: expect.stringContaining("At least one message is required."),
    });
});

it("is refused with the details by which Anthropic's client goes on without a thread", () => {
  for (const thread of [{ type: "create" }, { type: "continue", previous_message_id: "msg_1" }]) {
    const request = parseMessagesRequest(requestOf({ thread }));
    expect(() => messagesToCall(request, {})).toThrow(
      expect.objectContaining({
        code: "invalid",
        fields: { thread: [expect.stringContaining("message threads")] },
        own: { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } },
      }),
    );
  }
});

it.each([129, 1000])("is translated with %d tools", (count) => {
  const tools = Array.from({ length: count }, (_, at) => ({
    name: `f${at}`,
    input_schema: { type: "object" as const },
  }));
  expect(call({ tools }).tools?.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
});

describe("passthrough requests", () => {
  it("may have blocks whose source is none of an image", () => {
    const found = {
      type: "search_result",
      source: "https://a.example",
      title: "t",
      content: [{ type: "text", text: "c" }],
    };
    const result = { type: "tool_result", tool_use_id: "t", content: [found] };
    const given = requestOf(
      user(found, result, { type: "document", source: { type: "file", file_id: "f" } }),
    );
    expect(parseMessagesRequest(given)).toEqual(given);
    expect(refusal(() => parseMessagesRequest(requestOf(user({ type: "image", source: "x" })))).param).toBe(
      "messages.0.content.0.source",
    );
  });

  const id = "x".repeat(201);
  const tool = { name: "f", input_schema: { type: "object" } };
  it.each([
    ["1001 tools", { tools: Array.from({ length: 1001 }, () => tool) }, "tools"],
    [
      "a tool call's long id",
      {
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id, name: "f", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id }] },
        ],
      },
      "messages.0.content",
    ],
  ])("is only refused where it has to be translated: %s", (_, more, param) => {
    const request = parseMessagesRequest(requestOf(more));
    expect(refusal(() => messagesToCall(request, {})).param).toBe(param);
  });
});
