import { describe, expect, it, onTestFinished, vi } from "vitest";
import { USAGE } from "../../../tests/support/model-usage";
import type { ChatModelPart } from "./language-model";
import { ExplainedStream, PartReader, type StreamEnd } from "./model-stream.server";

const finish = (unified: "stop" | "other", raw?: string): ChatModelPart => ({
  type: "finish",
  finishReason: { unified, raw },
  usage: USAGE,
});
const text: ChatModelPart = { type: "text-delta", id: "0", delta: "Hello" };

/** The result of these parts from the upstream; an Error is thrown at its position. */
async function read(parts: (ChatModelPart | Error)[]): Promise<ChatModelPart[]> {
  const far = new ReadableStream<ChatModelPart>({
    pull(controller) {
      const next = parts.shift();
      if (next === undefined) controller.close();
      else if (next instanceof Error) controller.error(next);
      else controller.enqueue(next);
    },
  });
  const ends: StreamEnd["outcome"][] = [];
  const observer = { take: () => {}, end: (how: StreamEnd) => ends.push(how.outcome) };
  const target = { provider: "Far", model: "m" };
  const stream = new ExplainedStream(new PartReader(far, { prompt: [] }), target, observer);
  const made: ChatModelPart[] = [];
  for (let next = await stream.read(); next; next = await stream.read()) made.push(next);
  expect(ends).toEqual([made.some(({ type }) => type === "error") ? "error" : "ok"]);
  return made;
}
const saying = (sentence: RegExp) => ({
  type: "error",
  error: expect.objectContaining({ message: expect.stringMatching(sentence) }),
});
const ended = { type: "finish", finishReason: { unified: "error" } };

describe("an explained stream", () => {
  it("leaves a good stream as it is", async () => {
    expect(await read([text, finish("stop", "stop")])).toEqual([text, finish("stop", "stop")]);
    expect(await read([text, finish("other", "SAFETY")])).toEqual([text, finish("other", "SAFETY")]);
  });

  it.each([
    [
      "an error in the stream",
      [text, { type: "error" as const, error: { type: "overloaded_error" } }],
      /is overloaded/,
    ],
    ["an end without a reason", [text, finish("other")], /was lost before/],
    ["an end without an end", [text], /was lost before/],
    ["a failure of the stream", [text, new SyntaxError("secret")], /couldn't answer/],
  ])("ends at %s, keeping what came before", async (_, parts, sentence) => {
    expect(await read([...parts])).toMatchObject([text, saying(sentence), ended]);
  });

  it("keeps an abort as it is", async () => {
    await expect(read([text, new DOMException("x", "AbortError")])).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});

it("ends a stream that thinks for twenty times the longest silence, and not while it answers now and then", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  const thought: ChatModelPart = { type: "reasoning-delta", id: "0", delta: "Hm." };
  /** A part every 100 ms: the tenth is of an answer. */
  const far = new ReadableStream<ChatModelPart>({
    start(controller) {
      timer = setInterval(() => controller.enqueue(++count === 10 ? text : thought), 100);
    },
    cancel: () => clearInterval(timer),
  });
  const reader = new PartReader(far, { prompt: [] }, true, 100);
  const readAll = (async () => {
    for (;;) await reader.read();
  })();
  const ended = expect(readAll).rejects.toMatchObject({ name: "ProviderTimeout", ms: 2000, wasBusy: true });
  await vi.advanceTimersByTimeAsync(10_000);
  await ended;
  // 20 thoughts are within the limit since the answer's part.
  expect(count).toBeGreaterThanOrEqual(30);
  expect(count).toBeLessThan(50);
});
