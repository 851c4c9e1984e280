import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guardCall, saveGuardrails } from "~/ai/guardrails/guardrails.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { GuardedWriter, guardBody, guardResponse } from "./guarded-call";
import type { ProtocolName } from "./protocols/index";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  saveGuardrails(test.actors.admin, { maskPii: true, blocked: "red valve" });
});
afterEach(() => test.close());

async function guardOf(text: string) {
  const guard = guardCall(test.actors.member, { model: "m" });
  if (!guard) throw new Error("no guardrail is on");
  await guardBody(
    guard,
    Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content: text }] })),
  );
  return guard;
}

type Event = Record<string, unknown>;

/** Sends events in packets of a few bytes. @returns those that the caller gets */
async function pass(protocol: ProtocolName, events: readonly Event[], packet = 7): Promise<Event[]> {
  let written = "";
  const writer = new GuardedWriter(await guardOf("ada@example.org"), protocol, {
    write(bytes) {
      written += Buffer.from(bytes).toString("utf8");
      return undefined;
    },
  });
  const sent = Buffer.from(
    events
      .map((event) => `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
      .join(""),
  );
  for (let at = 0; at < sent.length; at += packet) await writer.write(sent.subarray(at, at + packet));
  await writer.end();
  return written
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as Event);
}

const chat = (index: number, delta: object, finish: string | null = null): Event => ({
  id: "c",
  choices: [{ index, delta, finish_reason: finish, logprobs: { content: [{ token: "red" }] } }],
});
const contentOf = (events: readonly Event[], index: number, read: (delta: Event) => unknown) =>
  events
    .flatMap(({ choices }) => choices as { index: number; delta: Event; logprobs: unknown }[])
    .filter((choice) => choice.index === index)
    .map(({ delta, logprobs }) => {
      expect(logprobs).toBeNull();
      return read(delta) ?? "";
    })
    .join("");

describe("a stream of OpenAI's chat", () => {
  it("gets its values back, each choice and each tool's arguments apart", async () => {
    const events = await pass("openai-chat", [
      chat(0, { role: "assistant", content: "To [EMA" }),
      chat(1, { content: "Or [EMA" }),
      chat(0, { content: "IL_1]" }),
      chat(0, { tool_calls: [{ index: 0, id: "t", function: { name: "f", arguments: '{"to":"[EMAIL' } }] }),
      chat(1, { content: "IL_1]" }),
      chat(0, { content: "" }),
      chat(0, { tool_calls: [{ index: 0, function: { arguments: '_1]"}' } }] }),
      chat(1, {}, "stop"),
      chat(0, { content: "!" }, "tool_calls"),
    ]);
    expect(contentOf(events, 0, ({ content }) => content)).toBe("To ada@example.org!");
    expect(contentOf(events, 1, ({ content }) => content)).toBe("Or ada@example.org");
    const argumentsOf = ({ tool_calls: calls }: Event) =>
      (calls as { function: { arguments: string } }[] | undefined)?.[0]?.function.arguments;
    expect(contentOf(events, 0, argumentsOf)).toBe('{"to":"ada@example.org"}');
    const finished = events.flatMap(({ choices }) => choices as { finish_reason: string | null }[]);
    expect(finished.map((one) => one.finish_reason).filter(Boolean)).toEqual(["stop", "tool_calls"]);
  });

  it("ends at a phrase that two choices cover", async () => {
    const said = [chat(0, { content: "red " }), chat(1, { content: "calm" }), chat(0, { content: "valve." })];
    await expect(pass("openai-chat", said)).rejects.toMatchObject({ code: "guardrail" });
  });
});

const parts = (text: string) => [{ type: "text", text }];

it.each<[string, ProtocolName, Event[], RegExp]>([
  [
    "a list of parts",
    "openai-chat",
    [chat(0, { content: parts("To [EMA") }), chat(0, { content: parts("IL_1]!") }, "stop")],
    /To .*ada@example\.org.*!/,
  ],
  [
    "the arguments of a function",
    "openai-chat",
    [
      chat(0, { function_call: { name: "f", arguments: '{"to":"[EMA' } }),
      chat(0, { function_call: { arguments: 'IL_1]"}' } }, "function_call"),
    ],
    /ada@example\.org/,
  ],
  [
    "what is spoken",
    "openai-chat",
    [
      chat(0, { audio: { id: "a", transcript: "To [EMA" } }),
      chat(0, { audio: { transcript: "IL_1]" } }, "stop"),
    ],
    /To .*ada@example\.org/,
  ],
  [
    "a whole message",
    "openai-chat",
    [{ choices: [{ index: 0, message: { content: "To [EMAIL_1]" }, finish_reason: "stop" }] }],
    /To ada@example\.org/,
  ],
  [
    "a citation",
    "anthropic-messages",
    [
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "citations_delta", citation: { cited_text: "[EMAIL_1]" } },
      },
    ],
    /ada@example\.org/,
  ],
  [
    "what a search found",
    "anthropic-messages",
    [
      {
        type: "content_block_start",
        index: 0,
        content_block: {
          type: "web_search_tool_result",
          content: [{ type: "web_search_result", title: "[EMAIL_1]" }],
        },
      },
    ],
    /ada@example\.org/,
  ],
  [
    "a free tool's input",
    "openai-responses",
    [
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "mail [EMA" },
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "IL_1]" },
    ],
    /mail.*ada@example\.org/,
  ],
])("a stream with %s gets its values back, and ends at a phrase", async (_, protocol, events, shown) => {
  const written = JSON.stringify(await pass(protocol, events));
  expect(written).toMatch(shown);
  expect(written).not.toMatch(/\[EMA/);
  const refused = JSON.parse(
    JSON.stringify(events)
      .replace("[EMA", "red val")
      .replace("IL_1]", "ve.")
      .replace("[EMAIL_1]", "red valve."),
  ) as Event[];
  await expect(pass(protocol, refused)).rejects.toMatchObject({ code: "guardrail" });
});

it("a stream of OpenAI's responses gets its values back, in order and with its whole texts", async () => {
  const at = { item_id: "i", output_index: 0, content_index: 0 };
  const events = await pass("openai-responses", [
    { type: "response.created", sequence_number: 0, response: { id: "r", status: "in_progress" } },
    { type: "response.output_text.delta", sequence_number: 1, ...at, delta: "To [EMAIL_" },
    { type: "response.output_text.delta", sequence_number: 2, ...at, delta: "1]" },
    { type: "response.output_text.done", sequence_number: 3, ...at, text: "To [EMAIL_1]" },
    {
      type: "response.completed",
      sequence_number: 4,
      response: {
        id: "r",
        output: [{ type: "message", content: [{ type: "output_text", text: "To [EMAIL_1]" }] }],
      },
    },
  ]);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.map(({ delta }) => delta ?? "").join("")).toBe("To ada@example.org");
  expect(events.find(({ type }) => type === "response.output_text.done")?.text).toBe("To ada@example.org");
  expect(JSON.stringify(events)).not.toContain("EMAIL_1");
});

it("a stream of Anthropic's messages gets its values back, and signed thoughts stay", async () => {
  const delta = (index: number, value: object) => ({ type: "content_block_delta", index, delta: value });
  const events = await pass("anthropic-messages", [
    { type: "message_start", message: { id: "m", content: [] } },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    delta(0, { type: "thinking_delta", thinking: "Use [EMAIL_1]" }),
    delta(0, { type: "signature_delta", signature: "s" }),
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    delta(1, { type: "text_delta", text: "To [EMAIL_" }),
    delta(1, { type: "text_delta", text: "1]" }),
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ]);
  const deltas = events
    .filter(({ type }) => type === "content_block_delta")
    .map((event) => event.delta as Event);
  expect(deltas.map(({ text }) => text ?? "").join("")).toBe("To ada@example.org");
  expect(deltas.map(({ thinking }) => thinking ?? "").join("")).toBe("Use [EMAIL_1]");
  const types = events.map(({ type }) => type);
  expect(types.lastIndexOf("content_block_delta")).toBeLessThan(types.lastIndexOf("content_block_stop"));
});

it("a whole response is checked, and its arguments of tools stay JSON", async () => {
  const body = {
    choices: [
      {
        message: { content: "To [EMAIL_1]", tool_calls: [{ function: { arguments: '{"to":"[EMAIL_1]"}' } }] },
      },
    ],
  };
  const guard = await guardOf("ada@example.org");
  expect(JSON.parse(await guardResponse(guard, JSON.stringify(body)))).toEqual({
    choices: [
      {
        message: {
          content: "To ada@example.org",
          tool_calls: [{ function: { arguments: '{"to":"ada@example.org"}' } }],
        },
      },
    ],
  });
  await expect(
    guardResponse(guard, '{"choices":[{"message":{"content":"a red valve"}}]}'),
  ).rejects.toMatchObject({
    code: "guardrail",
  });
});

it("a response with images is checked but for their bytes", async () => {
  const guard = await guardOf("ada@example.org");
  // As text it would be the placeholder's.
  const b64_json = "aaaa[EMAIL_1]";
  const sent = (revised_prompt: string) => JSON.stringify({ data: [{ b64_json, revised_prompt }] });
  expect(await guardResponse(guard, sent("For [EMAIL_1]"))).toBe(sent("For ada@example.org"));
  await expect(guardResponse(guard, sent("A red valve"))).rejects.toMatchObject({ code: "guardrail" });
  const made = JSON.stringify({ output: [{ type: "image_generation_call", result: b64_json }] });
  expect(await guardResponse(guard, made)).toBe(made);
});
