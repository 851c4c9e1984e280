import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PassedStream } from "./passed-stream";

const TOKEN = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n';
const FINISH = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
const caller = new AbortController();

let far: ReadableStreamDefaultController<Uint8Array>;
const cancelled = vi.fn();

function open(): PassedStream {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      far = controller;
    },
    cancel: cancelled,
  });
  const { signal } = caller;
  return new PassedStream({
    body,
    protocol: "openai-chat",
    provider: "Far",
    hideUsage: false,
    eventMs: 1000,
    signal,
  });
}

const send = (text: string) => far.enqueue(Buffer.from(text));
const next = async (stream: PassedStream) => {
  const piece = await stream.pull();
  return piece && Buffer.from(piece).toString();
};

beforeEach(() => {
  vi.useFakeTimers();
  cancelled.mockReset();
});
afterEach(() => void vi.useRealTimers());

describe("a stream that is passed on", () => {
  it("isn't given up because its caller is slow", async () => {
    const stream = open();
    send(TOKEN);
    expect(await next(stream)).toBe(TOKEN);
    // The caller takes a minute over this.
    await vi.advanceTimersByTimeAsync(60_000);
    send(`${FINISH}data: [DONE]\n\n`);
    expect(await next(stream)).toBe(`${FINISH}data: [DONE]\n\n`);
    expect(await next(stream)).toBeUndefined();
  });

  it("is given up when the provider is waited for too long, whatever bytes trickle in", async () => {
    const stream = open();
    send(TOKEN);
    await next(stream);
    const waiting = expect(next(stream)).rejects.toMatchObject({ code: "provider_timeout" });
    for (let count = 0; count < 4; count++) {
      send("x");
      await vi.advanceTimersByTimeAsync(250);
    }
    await waiting;
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it("ends well where the answer was told to be over and the provider never closes it", async () => {
    const stream = open();
    send(TOKEN + FINISH);
    expect(await next(stream)).toBe(TOKEN + FINISH);
    const last = next(stream);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await last).toBe("data: [DONE]\n\n");
    expect(await next(stream)).toBeUndefined();
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it("ends well where the connection breaks behind the end of the answer, and badly before it", async () => {
    const done = open();
    send(FINISH);
    await next(done);
    far.error(new Error("reset"));
    expect(await next(done)).toBe("data: [DONE]\n\n");
    const cut = open();
    send(TOKEN);
    await next(cut);
    far.error(new Error("reset"));
    await expect(next(cut)).rejects.toThrow("reset");
  });
});
