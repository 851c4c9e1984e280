import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { processorMs } from "../../../../tests/support/processor-time";
import { wellFormedModel } from "../model-stream.server";
import { ProviderDisconnected } from "../provider-errors.server";
import { ChatCompletion } from "./chat-completion";
import { custom } from "./custom.provider.server";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];

async function whole(body: string, type = "application/json") {
  const fetch = async () => new Response(body, { headers: { "content-type": type } });
  const call = { baseUrl: "http://a.example/v1", apiKey: undefined, fetch, config: {} };
  return (await custom.makeModel(call, "m", false)).doGenerate({ prompt });
}

const message = (said: object, finish_reason: string | null = "stop") =>
  JSON.stringify({
    id: "x",
    choices: [{ index: 0, message: { role: "assistant", ...said }, finish_reason }],
  });

it("reads a stream where a whole answer was asked for", async () => {
  const stream = readFileSync("tests/fixtures/streams/choices-null.sse", "utf8");
  const { content, finishReason } = await whole(stream, "text/event-stream");
  expect(content).toEqual([{ type: "text", text: "Hello" }]);
  expect(finishReason.unified).toBe("stop");
});

it("takes thoughts between tags out of a whole answer", async () => {
  const { content } = await whole(message({ content: "<think>Hm.</think>\n\nYes." }));
  expect(content).toEqual([
    { type: "reasoning", text: "Hm." },
    { type: "text", text: "Yes." },
  ]);
});

it("takes thoughts that a template opened for the answer only in an answer that is whole", async () => {
  const opened = {};
  const said = (content: string, finish_reason: string | null) =>
    JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] });
  const read = (...events: string[]) => {
    const completion = new ChatCompletion(opened);
    return JSON.stringify([
      ...events.flatMap((event) => completion.take(event, undefined)),
      ...completion.end(),
    ]);
  };
  // Its template is known from the first answer on.
  read(said("Hm.\n</think>\nYes.", "stop"));
  const cut = read(said("Hm, let me see", null));
  expect(cut).toContain('"thinking":[{"type":"text","text":"Hm, let me see"}]');
  expect(cut).not.toContain('"content":"');
  expect(read(said("It has no thoughts.", "stop"))).toContain('"content":"It has no thoughts."');
});

it("keeps a whole answer's fields, usage and signatures", async () => {
  const call = { id: "c", type: "function", function: { name: "f", arguments: { a: 1 } } };
  const signed = { ...call, extra_content: { google: { thought_signature: "S" } } };
  const said = { content: null, reasoning_content: "Hm.", tool_calls: [signed] };
  const body = JSON.parse(message(said, "tool_calls"));
  const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, prompt_tokens_details: null };
  const result = await whole(JSON.stringify({ ...body, usage }));
  const providerMetadata = { openaiCompatible: { thoughtSignature: "S" } };
  expect(result.content).toEqual([
    { type: "reasoning", text: "Hm." },
    { type: "tool-call", toolCallId: "c", toolName: "f", input: '{"a":1}', providerMetadata },
  ]);
  expect(result.usage).toMatchObject({ inputTokens: { total: 5 }, outputTokens: { total: 7 } });
  expect(result.providerMetadata).toMatchObject({
    openaiCompatible: { reasoningField: "reasoning_content" },
  });
});

it("counts thoughts as output where the total alone has them", async () => {
  const usage = {
    prompt_tokens: 37,
    completion_tokens: 530,
    total_tokens: 800,
    completion_tokens_details: { reasoning_tokens: 233 },
  };
  const body = JSON.parse(message({ content: "Yes." }));
  const { usage: read } = await whole(JSON.stringify({ ...body, usage }));
  expect(read.inputTokens).toMatchObject({ total: 37, noCache: 37 });
  expect(read.outputTokens).toEqual({ total: 763, text: 530, reasoning: 233 });
});

it("counts what was read from a cache and written to it", async () => {
  const prompt_tokens_details = { cached_tokens: 20, cache_write_tokens: 5 };
  const usage = { prompt_tokens: 37, completion_tokens: 1, total_tokens: 38, prompt_tokens_details };
  const body = JSON.parse(message({ content: "Yes." }));
  const { usage: read } = await whole(JSON.stringify({ ...body, usage }));
  expect(read.inputTokens).toEqual({ total: 37, noCache: 12, cacheRead: 20, cacheWrite: 5 });
});

it("leaves the text as it is where sources and images come beside it", async () => {
  const body = JSON.parse(message({ content: '{"a":1}', images: [{}] }));
  const { content, providerMetadata } = await whole(
    JSON.stringify({ ...body, citations: ["https://a.example/"] }),
  );
  expect(content).toEqual([{ type: "text", text: '{"a":1}' }]);
  const beside = { sources: ["https://a.example/"], images: [""] };
  expect(providerMetadata).toMatchObject({ openaiCompatible: beside });
});

it("says that a model refused", async () => {
  const { content, finishReason } = await whole(message({ content: null, refusal: "I can't." }));
  expect(content).toEqual([{ type: "text", text: "I can't." }]);
  expect(finishReason.unified).toBe("content-filter");
});

it("adds up the pieces of two calls", async () => {
  const piece = (index: number, text: string, name?: string) =>
    `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index, ...(name ? { id: name } : {}), function: { ...(name ? { name } : {}), arguments: text } }] } }] })}\n\n`;
  const stream = piece(0, '{"a":', "f") + piece(1, '{"b"', "g") + piece(0, "1}") + piece(1, ":2}");
  const { content, finishReason } = await whole(stream, "text/event-stream");
  expect(content).toMatchObject([
    { toolName: "f", input: '{"a":1}' },
    { toolName: "g", input: '{"b":2}' },
  ]);
  expect(finishReason.unified).toBe("tool-calls");
});

it("separates calls by their names if they share an index and have no ids", async () => {
  const piece = (name: string, text: string) =>
    `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, function: { name, arguments: text } }] } }] })}\n\n`;
  const called = async (...pieces: string[]) =>
    (await whole(pieces.join(""), "text/event-stream")).content.map((part) =>
      part.type === "tool-call" ? `${part.toolName} ${part.input}` : part.type,
    );
  const zone = '{"zone":"UTC"}';
  expect(await called(piece("list_files", "{}"), piece("get_time", zone))).toEqual([
    "list_files ",
    `get_time ${zone}`,
  ]);
  // Some begin with nothing, and send all of it under the name again.
  expect(await called(piece("get_time", "{}"), piece("get_time", zone))).toEqual([`get_time ${zone}`]);
});

it.each([
  ["error", "other", "cut"],
  ["abort", "other", "cut"],
  ["insufficient_system_resource", "other", "cut"],
  ["model_length", "length", "length"],
  [null, "stop", "stop"],
])("reads the reason %s of a whole answer as %s", async (reason, unified, raw) => {
  const { finishReason } = await whole(message({ content: "Half an" }, reason));
  expect(finishReason).toEqual({ unified, raw });
});

it("returns an error to a program if a non-streamed answer was cut off", async () => {
  const events = `data: ${message({ content: "Half an" }, null)}\n\n`;
  const fetch = async () => new Response(events, { headers: { "content-type": "text/event-stream" } });
  const call = { baseUrl: "http://a.example/v1", apiKey: undefined, fetch, config: {} };
  const model = wellFormedModel(await custom.makeModel(call, "m", false));
  await expect(model.doGenerate({ prompt })).rejects.toThrow(ProviderDisconnected);
});

it.each([
  ["an answer that says nothing", message({ content: "" }, null)],
  ["no choices", "{}"],
  ["no JSON", "<html>"],
  ["an error", '{"error":"model overloaded"}'],
  [
    "an error of its choice",
    JSON.stringify({ choices: [{ message: { content: "Half" }, error: { code: 502, message: "died" } }] }),
  ],
])("refuses %s", async (_, body) => {
  await expect(whole(body)).rejects.toThrow();
});

it.each([
  ["parts", { content: Array.from({ length: 40_000 }, () => ({ type: "text", text: "a" })) }],
  ["tags within thoughts", { content: `${"<think>".repeat(40_000)}a` }],
  [
    "calls",
    {
      tool_calls: Array.from({ length: 40_000 }, (_, index) => ({
        index,
        id: `c${index}`,
        function: { name: "f", arguments: "{}" },
      })),
    },
  ],
])("reads an answer of very many %s without holding up the process", async (_, said) => {
  const before = process.threadCpuUsage();
  await whole(message(said));
  expect(processorMs(before)).toBeLessThan(2000);
});
