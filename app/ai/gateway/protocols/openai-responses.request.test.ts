import { describe, expect, it } from "vitest";
import { packStep } from "~/ai/models/models.service.server";
import { AppError } from "~/core/errors";
import type { OpenAI } from "../../../../tests/support/sdks";
import { parseResponsesRequest, responsesToCall } from "./openai-responses.request";

type Body = OpenAI.Responses.ResponseCreateParams;
type Input = OpenAI.Responses.ResponseInputItem[];

const requestOf = (more: object = {}) => ({ model: "m", input: "Hi", ...more });
const call = (more: Partial<Body>, supported = {}) =>
  responsesToCall(parseResponsesRequest(requestOf(more)), supported);

function refusal(work: () => unknown): { message: string; code: string; param: string | undefined } {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError)
      return { message: error.message, code: error.code, param: Object.keys(error.fields ?? {})[0] };
    throw error;
  }
  throw new Error("Nothing was refused");
}

const dataUrl = (type: string, text: string) => `data:${type};base64,${Buffer.from(text).toString("base64")}`;
const PIXEL = "data:image/png;base64,iVBORw0KGgo=";
const user = (...content: object[]) => ({ input: [{ role: "user", content }] as Input });
const calling = (call_id: string, name = "look"): Input[number] => ({
  type: "function_call",
  call_id,
  name,
  arguments: '{"at":1}',
});
const output = (call_id: string, value: unknown = "Here.") =>
  ({ type: "function_call_output", call_id, output: value }) as Input[number];

describe("a responses request becomes a call", () => {
  it("with its items, those of a model's turn in one message", () => {
    const { prompt } = call({
      instructions: "Be brief.",
      input: [
        { role: "developer", content: [{ type: "input_text", text: "Be kind." }] },
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text: "What is it?" },
            { type: "input_image", image_url: PIXEL, detail: "auto" },
          ],
        },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "of another server" },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Let me look.", annotations: [] }],
        },
        calling("a"),
        calling("b"),
        output("a", [
          { type: "input_text", text: "Here." },
          { type: "input_image", image_url: PIXEL },
        ]),
        output("b", "No."),
        { role: "assistant", content: "A cat." },
        { role: "user", content: "Well?" },
      ],
    });
    const image = { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" };
    const text = (value: string) => ({ type: "text", text: value });
    const made = (toolCallId: string) => ({
      type: "tool-call",
      toolCallId,
      toolName: "look",
      input: { at: 1 },
    });
    const result = (toolCallId: string, value: string) => ({
      type: "tool-result",
      toolCallId,
      toolName: "look",
      output: { type: "text", value },
    });
    expect(prompt).toEqual([
      { role: "system", content: "Be brief.\n\nBe kind." },
      { role: "user", content: [text("What is it?"), image] },
      { role: "assistant", content: [text("Let me look."), made("a"), made("b")] },
      {
        role: "tool",
        content: [result("a", "Here.\n\n(Its images are in the next message.)"), result("b", "No.")],
      },
      { role: "user", content: [image] },
      { role: "assistant", content: [text("A cat.")] },
      { role: "user", content: [text("Well?")] },
    ]);
  });

  it("with what was packed of a step, wherever in its turn the client has it", () => {
    const encrypted_content = packStep({
      writtenBy: "anthropic/m",
      parts: [
        { kind: "reasoning", id: "", text: "Hm.", metadata: { anthropic: { signature: "s" } } },
        { kind: "tool", id: "a", text: "", metadata: {} },
      ],
    });
    const kept: Input[number] = { type: "reasoning", id: "rs_1", summary: [], encrypted_content };
    for (const turn of [
      [kept, calling("a")],
      [calling("a"), kept],
    ]) {
      const { prompt } = call({ input: [{ role: "user", content: "Look" }, ...turn, output("a")] });
      expect(prompt[1]).toMatchObject({
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "s" } } },
          { type: "tool-call", toolCallId: "a" },
        ],
        providerOptions: { console: { writtenBy: "anthropic/m" } },
      });
    }
  });

  it("with its settings", () => {
    const parameters = { type: "object", properties: {} };
    const { prompt, ...settings } = call({
      max_output_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      parallel_tool_calls: false,
      reasoning: { effort: "low", summary: "auto" },
      user: "u",
      tools: [
        { type: "function", name: "add", description: "Adds", parameters, strict: true },
        { type: "function", name: "sub", parameters, strict: null },
      ],
      tool_choice: { type: "function", name: "add" },
      text: { format: { type: "json_schema", name: "n", schema: { type: "object" } }, verbosity: "low" },
      store: true,
      metadata: { a: "b" },
      truncation: "auto",
      service_tier: "flex",
      prompt_cache_key: "k",
      include: ["reasoning.encrypted_content"],
      stream_options: { include_obfuscation: false },
    });
    expect(prompt).toEqual([{ role: "user", content: [{ type: "text", text: "Hi" }] }]);
    expect(settings).toEqual({
      maxOutputTokens: 9,
      temperature: 0.5,
      topP: 0.9,
      tools: [
        { type: "function", name: "add", description: "Adds", inputSchema: parameters, strict: true },
        { type: "function", name: "sub", inputSchema: parameters },
      ],
      toolChoice: { type: "tool", toolName: "add" },
      responseFormat: { type: "json", name: "n", schema: { type: "object" } },
      providerOptions: {
        console: { effort: "low" },
        anthropic: { metadata: { userId: "u" }, disableParallelToolUse: true },
        openai: { user: "u", parallelToolCalls: false, strictJsonSchema: false },
        openaiCompatible: { parallel_tool_calls: false, strictJsonSchema: false },
      },
    });
  });

  it("with a custom tool as a function of a text", () => {
    const format = { type: "grammar", syntax: "lark", definition: "start: WORD" } as const;
    const { prompt, tools, toolChoice } = call({
      tools: [{ type: "custom", name: "run", description: "Runs code.", format }],
      tool_choice: { type: "custom", name: "run" },
      input: [
        { role: "user", content: "Run it" },
        { type: "custom_tool_call", call_id: "c", name: "run", input: 'print("x")' },
        { type: "custom_tool_call_output", call_id: "c", output: "x" },
      ],
    });
    expect(tools).toEqual([
      {
        type: "function",
        name: "run",
        description: "Runs code.\n\nThe input must match this lark grammar:\nstart: WORD",
        inputSchema: expect.objectContaining({ required: ["input"] }),
      },
    ]);
    expect(toolChoice).toEqual({ type: "tool", toolName: "run" });
    expect(prompt[1]?.content).toMatchObject([{ type: "tool-call", input: { input: 'print("x")' } }]);
    expect(prompt[2]?.content).toMatchObject([{ toolCallId: "c", output: { value: "x" } }]);
  });

  it.each([
    [129, 0],
    [500, 500],
  ])("with %d tools and %d in a namespace", (outside, within) => {
    const tool = (name: string) => ({ type: "function" as const, name, parameters: {}, strict: null });
    const inside = Array.from({ length: within }, (_, at) => tool(`in${at}`));
    const outer = Array.from({ length: outside }, (_, at) => tool(`f${at}`));
    const tools = within > 0 ? [...outer, { type: "namespace", name: "n", tools: inside }] : outer;
    const names = [...outer.map(({ name }) => name), ...inside.map(({ name }) => `n__${name}`)];
    expect(call({ tools } as Parameters<typeof call>[0]).tools?.map(({ name }) => name)).toEqual(names);
  });

  it("with a namespace's tools under one name", () => {
    const inside = { type: "function" as const, name: "close", parameters: null, strict: null };
    const { prompt, tools } = call({
      tools: [{ type: "namespace", name: "agents", description: "Agents", tools: [inside] }],
      input: [
        { role: "user", content: "Close it" },
        { type: "function_call", call_id: "c", namespace: "agents", name: "close", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: "closed" },
      ],
    });
    expect(tools?.map(({ name }) => name)).toEqual(["agents__close"]);
    expect(prompt[1]?.content).toMatchObject([{ toolName: "agents__close" }]);
  });

  it("with the tools alone that it allows", () => {
    const tool = (name: string) => ({ type: "function" as const, name, parameters: null, strict: null });
    const { tools, toolChoice } = call({
      tools: [tool("a"), tool("b")],
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "b" }] },
    });
    expect(tools?.map(({ name }) => name)).toEqual(["b"]);
    expect(toolChoice).toEqual({ type: "required" });
  });

  it.each([
    [
      { type: "function", name: "close" },
      { type: "tool", toolName: "agents__close" },
    ],
    [
      { type: "function", name: "agents__close" },
      { type: "tool", toolName: "agents__close" },
    ],
    [{ type: "allowed_tools", mode: "auto", tools: [{ name: "close" }] }, { type: "auto" }],
  ])("with a choice within a namespace (%o)", (tool_choice, expected) => {
    const tool = (name: string) => ({ type: "function" as const, name, parameters: null, strict: null });
    const tools = [{ type: "namespace" as const, name: "agents", tools: [tool("close")] }, tool("open")];
    const translated = call({ tools, tool_choice } as Parameters<typeof call>[0]);
    expect(translated.toolChoice).toEqual(expected);
    expect(translated.tools?.map(({ name }) => name)).toContain("agents__close");
  });

  it("with files: PDFs as they are, texts as text, addresses where the model takes them", () => {
    const pdf = dataUrl("application/pdf", "%PDF");
    const csv = dataUrl("text/csv", "a,b");
    const more = user(
      { type: "input_file", filename: "a.pdf", file_data: pdf },
      { type: "input_file", filename: "a.csv", file_data: csv },
      { type: "input_file", file_url: "https://a.example/b.pdf" },
      { type: "input_image", image_url: "data:image/jpg;base64,AAAA" },
    );
    const { prompt } = call(more, { "application/pdf": [/^https:/] });
    expect(prompt[0]?.content).toEqual([
      { type: "file", mediaType: "application/pdf", data: pdf.split(",")[1], filename: "a.pdf" },
      { type: "text", text: "a.csv:\n\na,b" },
      { type: "file", mediaType: "application/pdf", data: new URL("https://a.example/b.pdf") },
      { type: "file", mediaType: "image/jpeg", data: "AAAA" },
    ]);
    expect(refusal(() => call(more))).toMatchObject({ param: "input.0.content.2.file_url" });
  });
});

describe("only where it has to be translated, a responses request is refused by name", () => {
  const item = (type: string) => ({ input: [{ type }] });
  it.each([
    ["an earlier response", { previous_response_id: "resp_1" }, "previous_response_id", "Send the items"],
    ["a conversation", { conversation: "conv_1" }, "conversation", "Send the items"],
    ["a stored prompt", { prompt: { id: "pmpt_1" } }, "prompt", "Send the instructions"],
    ["the background", { background: true }, "background", "stream the response"],
    ["compaction", { context_management: [{ type: "compaction" }] }, "context_management", "Leave it out"],
    ["log probabilities", { top_logprobs: 2 }, "top_logprobs", "log probabilities"],
    ["included ones", { include: ["message.output_text.logprobs"] }, "include", "log probabilities"],
    ["a web search", { tools: [{ type: "web_search" }] }, "tools.0", "the tool web_search. Leave it out"],
    // Each namespace is within the limit, and nothing is said of their tools: they are counted first.
    [
      "1001 tools in namespaces",
      { tools: [500, 501].map((length) => ({ type: "namespace", name: "n", tools: Array(length).fill(0) })) },
      "tools",
      "At most 1,000 tools are allowed.",
    ],
    ["a reference", item("item_reference"), "input.0", "Send store as false"],
    ["a search's result", item("file_search_call"), "input.0", "items of type file_search_call"],
    ["an item whose type is no text", { input: [{ type: { toString: 1 } }] }, "input.0.type", ""],
    ["an item without a name", { input: [{ type: "function_call", call_id: "c" }] }, "input.0.name", ""],
    ["a result without its call", { input: [output("x")] }, "input.0.call_id", "No earlier message"],
    ["an unknown role", { input: [{ role: "robot", content: "" }] }, "input.0.role", "The role must be"],
    ["sound", user({ type: "input_audio" }), "input.0.content.0", "input_audio isn't allowed"],
    [
      "a stored file",
      user({ type: "input_file", file_id: "file_1" }),
      "input.0.content.0.file_id",
      "aren't stored",
    ],
    [
      "a file of another kind",
      user({ type: "input_file", file_data: dataUrl("application/zip", "PK") }),
      "input.0.content.0.file_data",
      "must be a PDF or a text",
    ],
    [
      "a file's bare content",
      user({ type: "input_file", file_data: "JVBERi0=" }),
      "input.0.content.0.file_data",
      "as a base64 data URL",
    ],
    [
      "an image that isn't one",
      user({ type: "input_image", image_url: "data:image/png;base64,<svg>" }),
      "input.0.content.0.image_url",
      "must be base64",
    ],
    ["101 images", user(...Array(101).fill({ type: "input_image", image_url: PIXEL })), "messages", "101"],
    ["a text part without text", user({ type: "input_text" }), "input.0.content.0.text", "needs text"],
    ["a format without its schema", { text: { format: { type: "json_schema" } } }, "text.format.schema", ""],
    ["a grammar", { text: { format: { type: "grammar" } } }, "text.format", "the format grammar"],
    ["a hosted choice", { tool_choice: { type: "mcp" } }, "tool_choice", "other choices"],
    [
      "allowed tools that aren't there",
      { tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "b" }] } },
      "tool_choice",
      "None of the allowed tools",
    ],
    [
      "a chosen tool that isn't there",
      { tools: [{ type: "function", name: "a" }], tool_choice: { type: "function", name: "b" } },
      "tool_choice",
      "The chosen tool",
    ],
    [
      "two tools of one name",
      {
        tools: [
          { type: "function", name: "a" },
          { type: "custom", name: "a" },
        ],
      },
      "tools.1",
      "Another tool is called a",
    ],
    ["a hot temperature", { temperature: 3 }, "temperature", "<=2"],
    ["no input", { input: undefined }, "input", "string or an array"],
  ])("%s", (_, more, param, message) => {
    const request = parseResponsesRequest(requestOf(more));
    const refused = refusal(() => responsesToCall(request, {}));
    expect(refused).toMatchObject({ code: "invalid", param });
    expect(refused.message).toContain(message);
  });
});

describe("a translated responses request is too large", () => {
  const file = (length: number) => ({
    type: "input_file",
    file_data: dataUrl("text/plain", "x".repeat(length)),
  });

  it("with more text in its files together than any model reads", () => {
    expect(() => call(user(file(3_900_000)))).not.toThrow();
    const halves = user(file(2_100_000), file(2_100_000));
    expect(refusal(() => call(halves))).toMatchObject({ code: "too_large" });
    const results = { input: [calling("a"), output("a", [file(2_100_000), file(2_100_000)])] };
    expect(refusal(() => call(results))).toMatchObject({ code: "too_large" });
  });

  it("with more parts than are read at once", () => {
    const parts = Array(4001).fill({ type: "input_text", text: "" });
    const input = Array.from({ length: 5 }, (_, at) => [calling(`c${at}`), output(`c${at}`, parts)]).flat();
    expect(refusal(() => call({ input })).message).toContain("At most 20,000 content parts");
  });
});

describe("a responses request is refused by every provider", () => {
  it("with more text than any model reads", () => {
    const input = Array.from({ length: 10 }, () => ({ role: "user", content: "x".repeat(1_000_000) }));
    expect(refusal(() => parseResponsesRequest(requestOf({ input })))).toMatchObject({ code: "too_large" });
    const likeAFile = user({ type: "input_text", text: `data:${"x".repeat(4_000_000)}` });
    expect(refusal(() => parseResponsesRequest(requestOf(likeAFile)))).toMatchObject({ code: "too_large" });
  });
});
