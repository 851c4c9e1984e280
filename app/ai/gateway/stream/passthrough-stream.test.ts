import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ByteReceiver } from "~/core/egress/index.server";
import { PassthroughStream } from "./passthrough-stream";

const TOKEN = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n';
const FINISH = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
const ERROR = 'data: {"error":{"message":"overloaded"}}\n\n';
const caller = new AbortController();

const flow = { pause: vi.fn(), resume: vi.fn(), cancel: vi.fn() };

/** A stream with its provider's end, and what the caller got; `slow` makes the caller's next writes wait. */
function open(early: readonly string[] = [], hideUsage = true) {
  let far: ByteReceiver | undefined;
  const written: string[] = [];
  let catchUp: (() => void) | undefined;
  let isSlow = false;
  const stream = new PassthroughStream(
    {
      receive(receiver) {
        far = receiver;
        for (const text of early) receiver.data(Buffer.from(text));
        return flow;
      },
    },
    {
      protocol: "openai-chat",
      provider: "Far",
      hideUsage,
      inputTokens: 5,
      silence: { firstByteMs: 1000, betweenBytesMs: 1000 },
      signal: caller.signal,
    },
  );
  const writer = {
    write(bytes: Uint8Array) {
      written.push(Buffer.from(bytes).toString());
      if (!isSlow) return undefined;
      return new Promise<void>((resolve) => {
        catchUp = resolve;
      });
    },
  };
  return {
    stream,
    written,
    relay: () => stream.relay(writer),
    send: (text: string) => far?.data(Buffer.from(text)),
    end: () => far?.end(),
    fail: (error: Error) => far?.fail(error),
    slow: () => {
      isSlow = true;
    },
    catchUp: () => {
      isSlow = false;
      catchUp?.();
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetAllMocks();
});
afterEach(() => void vi.useRealTimers());

describe("a stream that is passed on", () => {
  it("begins with the first token and sends earlier frames", async () => {
    const { stream, written, relay, send } = open([": hello\n\n"]);
    const begun = vi.fn();
    const begin = stream.begin().then(begun);
    await vi.advanceTimersByTimeAsync(500);
    expect(begun).not.toHaveBeenCalled();
    send(TOKEN);
    await begin;
    const relayed = relay();
    expect(written).toEqual([`: hello\n\n${TOKEN}`]);
    send(`${FINISH}data: [DONE]\n\n`);
    await relayed;
    expect(written).toEqual([`: hello\n\n${TOKEN}`, `${FINISH}data: [DONE]\n\n`]);
  });

  it("fails before its begin, without a word to the caller", async () => {
    const { stream, send } = open();
    send(ERROR);
    await expect(stream.begin()).rejects.toEqual({ message: "overloaded" });
    expect(flow.cancel).toHaveBeenCalledOnce();
  });

  it("sends frames before an error, but not the error", async () => {
    const { stream, written, relay, send } = open();
    send(TOKEN + ERROR);
    await stream.begin();
    await expect(relay()).rejects.toEqual({ message: "overloaded" });
    expect(written).toEqual([TOKEN]);
  });

  it("takes events apart where the network did", async () => {
    const { written, relay, send } = open();
    void relay();
    send(TOKEN + TOKEN.slice(0, 30));
    send(TOKEN.slice(30));
    send(TOKEN + TOKEN);
    expect(written).toEqual([TOKEN, TOKEN, TOKEN + TOKEN]);
  });

  it("holds its provider back while its caller is slow, and isn't given up for that", async () => {
    const { written, relay, send, slow, catchUp } = open();
    const relayed = relay();
    slow();
    send(TOKEN);
    expect(flow.pause).toHaveBeenCalledOnce();
    // Bytes in flight are buffered for the caller.
    send(TOKEN);
    send(`${FINISH}data: [DONE]\n\n`);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written).toEqual([TOKEN]);
    catchUp();
    await relayed;
    expect(written).toEqual([TOKEN, `${TOKEN}${FINISH}data: [DONE]\n\n`]);
  });

  it("resumes once the caller has caught up", async () => {
    const { relay, send, slow, catchUp } = open();
    void relay();
    flow.resume.mockReset();
    slow();
    send(TOKEN);
    catchUp();
    await vi.advanceTimersByTimeAsync(0);
    expect(flow.resume).toHaveBeenCalledOnce();
  });

  it("is over when its slow caller leaves", async () => {
    const { stream, send } = open();
    const relayed = stream.relay({ write: () => Promise.reject(new Error("left")) });
    send(TOKEN);
    await expect(relayed).rejects.toThrow("left");
    expect(flow.cancel).toHaveBeenCalledOnce();
  });

  it("times out without an event, even if bytes trickle in", async () => {
    const { stream, relay, send } = open();
    send(TOKEN);
    await stream.begin();
    const waiting = expect(relay()).rejects.toMatchObject({ code: "provider_timeout" });
    for (let count = 0; count < 4; count++) {
      send("x");
      await vi.advanceTimersByTimeAsync(251);
    }
    await waiting;
    expect(flow.cancel).toHaveBeenCalledOnce();
  });

  it("is given up when the provider is silent", async () => {
    const { relay, send } = open();
    send(TOKEN);
    const waiting = expect(relay()).rejects.toMatchObject({ name: "ProviderTimeout", ms: 1000 });
    await vi.advanceTimersByTimeAsync(1001);
    await waiting;
  });

  it("succeeds if the provider reports the end but never closes", async () => {
    const { written, relay, send } = open();
    const relayed = relay();
    send(TOKEN + FINISH);
    expect(written).toEqual([TOKEN + FINISH]);
    await vi.advanceTimersByTimeAsync(1001);
    await relayed;
    expect(written).toEqual([TOKEN + FINISH, "data: [DONE]\n\n"]);
    expect(flow.cancel).toHaveBeenCalledOnce();
  });

  it("waits a moment for its connection's end, so that it can be used again", async () => {
    const { relay, send, end } = open();
    const relayed = relay();
    send(`${TOKEN}${FINISH}data: [DONE]\n\n`);
    await relayed;
    end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(flow.cancel).not.toHaveBeenCalled();
  });

  it("succeeds if the connection breaks after the response's end, and fails before", async () => {
    const done = open();
    const relayed = done.relay();
    done.send(FINISH);
    done.fail(new Error("reset"));
    await relayed;
    expect(done.written).toEqual([FINISH, "data: [DONE]\n\n"]);
    const cut = open();
    const cutOff = cut.relay();
    cut.send(TOKEN);
    cut.fail(new Error("reset"));
    await expect(cutOff).rejects.toThrow("reset");
    const short = open();
    short.send(TOKEN);
    short.end();
    await expect(short.relay()).rejects.toThrow("closed the connection before its response was complete");
  });

  describe("with usage", () => {
    const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';
    const withNull = (frame: string) => frame.replace("]}\n", '],"usage":null}\n');
    const DONE = "data: [DONE]\n\n";

    it("sends none that the caller didn't ask for, with every other byte", async () => {
      const { written, relay, send } = open();
      const relayed = relay();
      const odd =
        'event: x\ndata: { "usage" : null , "seed":12345678901234567890,"choices":[{"delta":{"content":"\\"usage\\":null"}}] }\n\n';
      const own =
        'data: {"choices":[{"delta":{"content":"a"},"usage":null}],"usage":{"prompt_tokens":3}}\n\n';
      send(withNull(TOKEN) + odd + own + withNull(FINISH) + USAGE + DONE);
      await relayed;
      expect(written.join("")).toBe(TOKEN + odd.replace('"usage" : null , ', "") + own + FINISH + DONE);
    });

    it("passes on a frame of thousands of members as it is, also as the last one", async () => {
      const { written, relay, send, end } = open();
      const relayed = relay();
      const many = Array.from({ length: 2000 }, (_, at) => `"k${at}":0`).join();
      const wide = withNull(TOKEN).replace("{", `{${many},`);
      const last = withNull(FINISH).replace("{", `{${many},`);
      send(wide + last.trimEnd());
      end();
      await relayed;
      expect(written.join("")).toContain(wide + last.trimEnd());
    });

    it("passes on what the caller asked for, and counts what the provider doesn't", async () => {
      const passed = open([], false);
      const first = passed.relay();
      passed.send(withNull(TOKEN) + withNull(FINISH) + USAGE + DONE);
      await first;
      expect(passed.written.join("")).toBe(withNull(TOKEN) + withNull(FINISH) + USAGE + DONE);
      for (const ending of ["end", "fail", "done"]) {
        const { written, relay, send, end, fail } = open([], false);
        const relayed = relay();
        send(TOKEN.replace("{", '{"id":"c1","model":"m",') + FINISH + (ending === "done" ? DONE : ""));
        if (ending === "end") end();
        if (ending === "fail") fail(new Error("reset"));
        await relayed;
        const frames = written.join("").split("\n\n");
        expect(JSON.parse(frames[2]?.slice(6) ?? "")).toMatchObject({
          id: "c1",
          model: "m",
          object: "chat.completion.chunk",
          choices: [],
          usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
        });
      }
    });
  });
});
