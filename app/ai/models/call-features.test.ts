import { describe, expect, it } from "vitest";
import { leaveOut, refusedFeature, refusedTool, SAYS_SCHEMA } from "./call-features";
import type { ChatModelCall } from "./language-model";
import { readProviderFault } from "./provider-fault";

const file = (mediaType: string) => ({ type: "file" as const, mediaType, data: "AA==" });

/** A call with everything. */
const CALL: ChatModelCall = {
  prompt: [
    { role: "system", content: "Be kind." },
    { role: "user", content: [{ type: "text", text: "Hi" }, file("image/png"), file("application/pdf")] },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c", toolName: "kv__get", input: { key: "a" } }],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c",
          toolName: "kv__get",
          output: { type: "json", value: { a: 1 } },
        },
      ],
    },
  ],
  temperature: 0.7,
  topP: 0.9,
  topK: 4,
  stopSequences: ["x"],
  seed: 1,
  presencePenalty: 1,
  frequencyPenalty: 1,
  maxOutputTokens: 100,
  tools: [{ type: "function", name: "kv__get", inputSchema: { type: "object" } }],
  toolChoice: { type: "auto" },
  responseFormat: { type: "json", schema: { type: "object" } },
  providerOptions: { openai: { parallelToolCalls: false } },
};

const openai = (param: string, message: string, code = "unsupported_parameter") => ({
  error: { message, type: "invalid_request_error", param, code },
});
const said = (message: string) => ({ error: { message } });
const mistral = (name: string) => ({
  object: "error",
  message: {
    detail: [
      { type: "extra_forbidden", loc: ["body", name], msg: "Extra inputs are not permitted", input: {} },
    ],
  },
  type: "invalid_request_message_error",
  code: null,
});

const LITERAL = "Input should be 'text' or 'json_object'";

describe("what a provider's refusal says of a call", () => {
  it.each([
    [
      "temperature",
      openai(
        "temperature",
        "Unsupported value: 'temperature' does not support 0.7 with this model.",
        "unsupported_value",
      ),
    ],
    ["temperature", said("Unsupported parameter: 'temperature' is not supported with this model.")],
    ["temperature", said("`temperature` is deprecated for this model.")],
    [
      "temperature",
      said(
        "litellm.UnsupportedParamsError: gpt-5 does not support parameters: ['temperature'], for model=gpt-5",
      ),
    ],
    ["topP", said("top_p: Extra inputs are not permitted")],
    ["stop", said("Argument not supported on this model: stop")],
    ["presencePenalty", said("Model grok-4 does not support parameter presencePenalty.")],
    [
      "maxTokensName",
      openai(
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      ),
    ],
    ["streamOptions", mistral("stream_options")],
    [
      "streamOptions",
      {
        detail: [
          { type: "extra_forbidden", loc: ["body", "stream_options"], msg: "Extra inputs are not permitted" },
        ],
      },
    ],
    [
      "responseSchema",
      { detail: [{ type: "literal_error", loc: ["body", "response_format", "type"], msg: LITERAL }] },
    ],
    [
      "responseSchema",
      said(
        `1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': "${LITERAL}", 'input': 'json_schema'}\n\n  File "app.py"`,
      ),
    ],
    [
      "systemRole",
      said(
        "2 validation errors:\n  {'type': 'literal_error', 'loc': ('body', 'messages', 0, 'role'), 'msg': ''}",
      ),
    ],
    ["seed", said("Unrecognized request argument supplied: seed")],
    ["tools", said("registry.ollama.ai/library/gemma3:4b does not support tools")],
    ["tools", { error: '"deepseek-r1:7b" does not support tools' }],
    ["tools", said('No endpoints found that support tool use. Try disabling "kv__get".')],
    ["tools", said('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')],
    ["tools", said("tools param requires --jinja flag")],
    ["tools", said("`tool calling` is not supported with this model")],
    ["tools", said("Function calling is not enabled for models/gemma-3-1b-it")],
    ["tools", said("deepseek-reasoner does not support Function Calling")],
    ["toolChoice", said("deepseek-reasoner does not support this tool_choice")],
    ["toolChoice", openai("tool_choice", "Unsupported value: 'tool_choice'", "unsupported_value")],
    [
      "parallelToolCalls",
      openai(
        "parallel_tool_calls",
        "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
      ),
    ],
    [
      "systemRole",
      openai(
        "messages[0].role",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "unsupported_value",
      ),
    ],
    ["systemRole", said("System role not supported")],
    ["systemRole", said("Developer instruction is not enabled for models/gemma-3-1b-it")],
    ["images", said("No endpoints found that support image input")],
    ["images", said("Image input modality is not enabled for models/gemma-3-1b-it")],
    ["images", said("At most 0 image(s) may be provided in one request.")],
    ["responseSchema", said("This model does not support response format `json_schema`.")],
    ["responseSchema", said("This response_format type is unavailable now")],
    [
      "responseSchema",
      openai("response_format", "Invalid schema for response_format 'x': …", "unsupported_value"),
    ],
  ])("reads %s", (feature, body) => {
    expect(refusedFeature(400, readProviderFault(JSON.stringify(body)), CALL)).toBe(feature);
  });

  it.each([
    [
      "a value out of range",
      400,
      openai("temperature", "Invalid 'temperature': decimal above maximum value.", "decimal_above_max_value"),
    ],
    [
      "a schema",
      400,
      openai(
        "tools[0].function.parameters",
        "Invalid schema for function 'kv__get'",
        "invalid_function_parameters",
      ),
    ],
    ["a condition on tools", 400, said("This model does not support tool choice 'required'")],
    ["tools in streams", 400, said("This model doesn't support tool use in streaming mode.")],
    ["two together", 400, said("m does not support tools together with response_format")],
    ["a bound", 400, said("temperature is not allowed to be greater than 2")],
    ["a size", 400, said("image is not allowed to be larger than 5 MB")],
    ["one type of file", 400, said("This model does not support file type video/mp4")],
    ["one parameter beside another", 400, said("top_p is not supported when temperature is set")],
    ["a property of one message", 400, said("'messages.2' : property 'tools' is unsupported")],
    ["a caller's words", 400, said("The message 'gemma does not support tools' is too long")],
    [
      "a number out of bounds",
      400,
      said("1 validation error:\n  {'type': 'less_than_equal', 'loc': ('body', 'temperature'), 'msg': ''}"),
    ],
    [
      "a printed list in a caller's words",
      400,
      said("Bad text: 1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'tools', 0)}"),
    ],
    ["a rate limit", 429, said("This model does not support tools")],
  ])("reads nothing in %s", (_, status, body) => {
    expect(refusedFeature(status, readProviderFault(JSON.stringify(body)), CALL)).toBeUndefined();
  });

  it.each([
    said("property 'chat_template_kwargs' is unsupported"),
    {
      message: "chat_template_kwargs: property 'chat_template_kwargs' is unsupported",
      code: "wrong_api_format",
    },
    said("`reasoning_effort` must be one of `none` or `default`"),
  ])("reads the effort in %j", (body) => {
    const call = { ...CALL, providerOptions: { console: { effort: "low" } } };
    expect(refusedFeature(400, readProviderFault(JSON.stringify(body)), call)).toBe("effort");
  });

  it("reads nothing of what the call doesn't have", () => {
    const { tools: _, ...call } = CALL;
    const fault = readProviderFault(JSON.stringify(said("m does not support tools")));
    expect(refusedFeature(400, fault, call)).toBeUndefined();
  });
});

describe("which tool a refusal is about", () => {
  const tools = ["kv__get", "kv__set"].map((name) => ({
    type: "function" as const,
    name,
    inputSchema: { type: "object" as const },
  }));
  it.each([
    ["kv__set", openai("tools[1].parameters", "Invalid schema", "invalid_function_parameters")],
    ["kv__set", said("Invalid schema for function 'kv__set': In context=()")],
    ["kv__get", said("tools.0.custom.input_schema: JSON schema is invalid")],
    ["kv__set", said("* GenerateContentRequest.tools[0].function_declarations[1].parameters: no")],
    [undefined, said("Invalid schema for function 'other': no")],
    [undefined, said("tools[7].function.name is wrong")],
    [undefined, said("The message says: Invalid schema for function 'kv__set'")],
    [undefined, said("tools[0] is too long")],
  ])("finds %s", (name, body) => {
    expect(refusedTool(400, readProviderFault(JSON.stringify(body)), { prompt: [], tools })).toBe(name);
  });
});

describe("a call without a feature", () => {
  it("loses a parameter", () => {
    const left = leaveOut(
      CALL,
      new Set([
        "temperature",
        "topP",
        "topK",
        "stop",
        "seed",
        "presencePenalty",
        "frequencyPenalty",
        "toolChoice",
      ]),
    );
    expect(left).toEqual({
      prompt: CALL.prompt,
      maxOutputTokens: 100,
      tools: CALL.tools,
      responseFormat: CALL.responseFormat,
      providerOptions: CALL.providerOptions,
    });
  });

  it("names its limit in the other way", () => {
    const left = leaveOut(CALL, new Set(["maxTokensName"]));
    expect(left).not.toHaveProperty("maxOutputTokens");
    expect(left).toMatchObject({
      providerOptions: {
        openai: { maxCompletionTokens: 100, parallelToolCalls: false },
        openaiCompatible: { max_completion_tokens: 100 },
      },
    });
  });

  it("has its tool calls as text", () => {
    const { prompt, ...rest } = leaveOut(CALL, new Set(["tools"]));
    expect(rest).not.toHaveProperty("tools");
    expect(rest).not.toHaveProperty("toolChoice");
    expect(prompt.slice(2)).toEqual([
      { role: "assistant", content: [{ type: "text", text: '[Called kv__get with {"key":"a"}]' }] },
      {
        role: "user",
        content: [{ type: "text", text: expect.stringMatching(/^Result of kv__get\..*\n\{"a":1\}$/s) }],
      },
    ]);
  });

  it("has its system prompt as a person's message, its files named, and doesn't ask for parallel calls", () => {
    const { prompt, providerOptions } = leaveOut(
      CALL,
      new Set(["systemRole", "images", "files", "parallelToolCalls"]),
    );
    expect(providerOptions).toEqual({ openai: {} });
    expect(prompt.slice(0, 2)).toEqual([
      { role: "user", content: [{ type: "text", text: "Be kind." }] },
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "text", text: expect.stringContaining("image/png") },
          { type: "text", text: expect.stringContaining("application/pdf") },
        ],
      },
    ]);
  });

  it("has no system prompt for its schema, where it takes none", () => {
    const { prompt } = leaveOut(CALL, new Set(["systemRole", "responseSchema"]));
    expect(prompt.some(({ role }) => role === "system")).toBe(false);
    expect(JSON.stringify(prompt)).toContain("JSON Schema");
  });

  it("has no second instruction beside its own", () => {
    const call = { ...CALL, providerOptions: { console: SAYS_SCHEMA } };
    const { prompt, responseFormat } = leaveOut(call, new Set(["responseSchema"]));
    expect(responseFormat).toEqual({ type: "json" });
    expect(prompt).toEqual(CALL.prompt);
  });

  it("has its schema as an instruction", () => {
    const words = 'Be kind.\n\nAnswer with JSON alone, which matches this JSON Schema:\n{"type":"object"}';
    const schemaless = leaveOut(CALL, new Set(["responseSchema"]));
    expect(schemaless.responseFormat).toEqual({ type: "json" });
    expect(schemaless.prompt[0]?.content).toBe(words);
    const formless = leaveOut(schemaless, new Set(["responseFormat"]));
    expect(formless).not.toHaveProperty("responseFormat");
    expect(formless.prompt[0]?.content).toBe(words);
    const bare = leaveOut({ ...CALL, responseFormat: { type: "json" } }, new Set(["responseFormat"]));
    expect(bare.prompt[0]?.content).toBe("Be kind.\n\nAnswer with one JSON object alone.");
    expect(leaveOut(CALL, new Set(["responseFormat"])).prompt[0]?.content).toBe(words);
  });
});
