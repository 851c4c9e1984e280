import { describe, expect, it } from "vitest";
import type { ProtocolName } from "./index";
import { isPlainPiece } from "./plain-piece";
import { FrameSplitter } from "./sse-frames";
import { StreamWatch } from "./stream-watch";

type Streamed = Exclude<ProtocolName, "openai-embeddings">;

const chat = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
const named = (name: string, data: object) =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const block = (text: string) =>
  named("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
const output = (delta: string) => named("response.output_text.delta", { delta });

const PLAIN: [Streamed, string][] = [
  ["openai-chat", chat({ content: "Hi" })],
  ["openai-chat", chat({ content: 'He said "usage":{} and "finish_reason":"stop"' }, { usage: null })],
  ["openai-chat", chat({ content: "Grüße 👋" }) + chat({ content: "\n\n" })],
  ["anthropic-messages", block("Hi") + block("event: message_stop\n")],
  ["openai-responses", output("Hi") + output('"usage":{}')],
];

const NOT_PLAIN: [Streamed, string][] = [
  ["openai-chat", chat({ role: "assistant", content: "" })],
  ["openai-chat", chat({ content: "Hi" }).slice(0, -1)],
  ["openai-chat", chat({ content: "Hi" }).slice(0, 30)],
  ["openai-chat", chat({ content: "Hi" }, { usage: { prompt_tokens: 1 } })],
  ["openai-chat", chat({ content: "Hi" }).replace("null", '"stop"')],
  ["openai-chat", `${chat({ content: "Hi" })}data: [DONE]\n\n`],
  ["openai-chat", `: comment\n\n${chat({ content: "Hi" })}`],
  ["openai-chat", 'data: {"error":{"message":"no"}}\n\n'],
  ["openai-chat", 'data: {"choices":[{"delta":{"content":"cut off\n\n'],
  ["openai-chat", "\n\n"],
  ["anthropic-messages", named("message_start", { message: { usage: { input_tokens: 1 } } })],
  ["anthropic-messages", block("Hi") + named("message_stop", {})],
  ["anthropic-messages", block("Hi").replace("event: content_block_delta\n", "")],
  ["openai-responses", named("response.completed", { response: { usage: {} } })],
];

describe("a piece of a stream", () => {
  it.each(PLAIN)("of %s is plain text, and each of its frames is a token: %j", (protocol, text) => {
    const piece = Buffer.from(text);
    const watch = new StreamWatch(protocol);
    expect(isPlainPiece(watch.format, piece)).toBe(true);
    const kinds = new FrameSplitter().push(piece).map((frame) => watch.take(frame));
    expect(new Set(kinds)).toEqual(new Set(["token"]));
    expect({ finished: watch.finished, usage: watch.usage }).toEqual({ finished: false, usage: {} });
  });

  it.each(NOT_PLAIN)("of %s is more than plain text: %j", (protocol, text) => {
    expect(isPlainPiece(new StreamWatch(protocol).format, Buffer.from(text))).toBe(false);
  });
});
