import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { untilAborted } from "~/core/abort";
import type { ByteReceiver, EgressResponse, GuardedSend } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { callProvider, type FetchOptions, readBytes, resilientFetch } from "./provider-client.service.server";
import {
  ProviderDisconnected,
  ProviderHtmlResponse,
  ProviderHttpError,
  ProviderTimeout,
  ProviderUnreachable,
} from "./provider-errors.server";

type Step = Response | Error | (() => Promise<Response> | Response);
/** A Response as the egress guard hands it on: it fails with the signal's reason. */
function answerOf(response: Response, signal: AbortSignal): EgressResponse {
  const { status, statusText, headers } = response;
  const receive: EgressResponse["receive"] = (receiver) => {
    const reader = response.body?.getReader();
    let isOver = false;
    const settle = (how: () => void) => {
      if (!isOver) how();
      isOver = true;
    };
    const leave = () => {
      settle(() => receiver.fail(signal.reason));
      reader?.cancel().catch(() => undefined);
    };
    signal.addEventListener("abort", leave);
    const read = async (): Promise<void> => {
      const next = await reader?.read();
      if (isOver) return;
      if (!next || next.done) return settle(() => receiver.end());
      receiver.data(Buffer.from(next.value));
      return read();
    };
    read().catch((error) => settle(() => receiver.fail(error)));
    return { pause() {}, resume() {}, cancel: leave };
  };
  return { status, statusText, headers, receive, stream: () => null, discard: () => undefined };
}

/** A mock server that plays the steps in turn, and records the delays in between. */
function scriptedFetch(steps: Step[], options: Partial<FetchOptions> = {}) {
  const waits: number[] = [];
  const inner = vi.fn<GuardedSend>(async (_, signal) => {
    const step = steps.shift();
    if (!step) throw new Error("One request too many.");
    if (step instanceof Error) throw step;
    const response = typeof step === "function" ? step() : step;
    return answerOf(await untilAborted(Promise.resolve(response), signal), signal);
  });
  const sleep = async (ms: number) => waits.push(ms);
  return { fetch: resilientFetch(inner, { sleep, ...options }), inner, waits };
}

const status = (code: number, body = "{}", headers: Record<string, string> = {}) =>
  new Response(body, { status: code, headers });
const cut = (...pieces: string[]) => {
  const rest = pieces.map((piece) => new TextEncoder().encode(piece));
  return new Response(
    new ReadableStream({
      pull(controller) {
        const next = rest.shift();
        if (next) controller.enqueue(next);
        else controller.error(new TypeError("terminated"));
      },
    }),
  );
};
/** A body that gives the pieces and then nothing any more. */
const silent = (cancelled: () => void, ...pieces: string[]) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      },
      cancel: cancelled,
    }),
  );

describe("resilientFetch", () => {
  afterEach(() => void vi.useRealTimers());

  it.each([408, 409, 429, 500, 502, 503, 529])("tries %i again, with growing waits", async (code) => {
    const { fetch, waits } = scriptedFetch([status(code), status(code), status(code), status(200, "fine")]);
    expect(await (await fetch("http://x/")).text()).toBe("fine");
    expect(waits).toHaveLength(3);
    expect(waits[0]).toBeGreaterThanOrEqual(150);
    expect(waits[2]).toBeGreaterThanOrEqual(600);
    expect(waits[2]).toBeLessThanOrEqual(1200);
  });

  it.each([400, 401, 403, 404, 422])("doesn't try %i again and hands its body on", async (code) => {
    const { fetch, inner } = scriptedFetch([status(code, '{"error":"no"}')]);
    const response = await fetch("http://x/");
    expect([response.status, await response.text()]).toEqual([code, '{"error":"no"}']);
    expect(inner).toHaveBeenCalledTimes(1);
  });

  it("returns the last response after three retries", async () => {
    const { fetch, inner } = scriptedFetch([status(500), status(500), status(500), status(503, "last")]);
    expect(await (await fetch("http://x/")).text()).toBe("last");
    expect(inner).toHaveBeenCalledTimes(4);
  });

  it("tries a failed connection again, also one that breaks before the first byte", async () => {
    const { fetch } = scriptedFetch([new TypeError("fetch failed"), cut(), status(200, "fine")]);
    expect(await (await fetch("http://x/")).text()).toBe("fine");
  });

  it("reports exhausted retries, and retries unreachable hosts", async () => {
    const lost = () => new AppError("provider_unavailable", "could not be reached");
    const { fetch, inner } = scriptedFetch([lost(), lost(), lost(), lost()]);
    await expect(fetch("http://x/")).rejects.toThrow(ProviderUnreachable);
    expect(inner).toHaveBeenCalledTimes(4);
  });

  it("never retries after the first byte", async () => {
    const { fetch, inner } = scriptedFetch([cut("data: 1\n\n"), status(200)]);
    await expect((await fetch("http://x/")).text()).rejects.toThrow(ProviderDisconnected);
    expect(inner).toHaveBeenCalledTimes(1);
  });

  it("waits as long as the provider asks, up to a cap", async () => {
    const soon = scriptedFetch([status(429, "{}", { "retry-after": "2" }), status(200)]);
    await soon.fetch("http://x/");
    expect(soon.waits).toEqual([2000]);
    const late = scriptedFetch([status(429, "{}", { "retry-after": "3600" })]);
    expect((await late.fetch("http://x/")).status).toBe(429);
    const date = scriptedFetch([
      status(503, "{}", { "retry-after": new Date(Date.now() - 1).toUTCString() }),
      status(200),
    ]);
    await date.fetch("http://x/");
    expect(date.waits).toEqual([0]);
  });

  it("doesn't retry an exhausted quota", async () => {
    const { fetch, inner } = scriptedFetch([status(429, '{"error":{"code":"insufficient_quota"}}')]);
    expect(await (await fetch("http://x/")).text()).toContain("insufficient_quota");
    expect(inner).toHaveBeenCalledTimes(1);
  });

  it("doesn't retry refusals of the egress guard or web pages", async () => {
    const refused = scriptedFetch([new AppError("egress_refused", "no")]);
    await expect(refused.fetch("http://x/")).rejects.toThrow("no");
    const page = scriptedFetch([status(200, "<html>", { "content-type": "text/html; charset=utf-8" })]);
    await expect(page.fetch("http://x/")).rejects.toThrow(ProviderHtmlResponse);
  });

  it("gives up on silence before the first byte", async () => {
    const cancelled = vi.fn();
    const headers = scriptedFetch([() => new Promise<Response>(() => undefined)], { firstByteMs: 15 });
    await expect(headers.fetch("http://x/")).rejects.toThrow(ProviderTimeout);
    const body = scriptedFetch([silent(cancelled)], { firstByteMs: 15 });
    await expect(body.fetch("http://x/")).rejects.toThrow(ProviderTimeout);
    expect([headers.inner.mock.calls.length, body.inner.mock.calls.length]).toEqual([1, 1]);
  });

  it("waits twenty times as long while bytes in an event stream become no line of data", async () => {
    vi.useFakeTimers();
    const drip = (type: string, byte: string) => {
      let timer: NodeJS.Timeout;
      const body = new ReadableStream({
        start(controller) {
          timer = setInterval(() => controller.enqueue(new TextEncoder().encode(byte)), 10);
        },
        cancel: () => clearInterval(timer),
      });
      return new Response(body, { headers: { "content-type": type } });
    };
    const read = async (response: Response, pieces: number) => {
      const begun = scriptedFetch([response], { betweenBytesMs: 60 }).fetch("http://x/");
      await vi.advanceTimersByTimeAsync(10);
      const reader = (await begun).body?.getReader();
      for (let piece = 0; piece < pieces; piece++) {
        await vi.advanceTimersByTimeAsync(10);
        await reader?.read();
      }
      await reader?.cancel();
      return pieces;
    };
    expect(await read(drip("text/event-stream", ": still here\n\n"), 100)).toBe(100);
    await expect(read(drip("text/event-stream", "x"), 160)).rejects.toBeInstanceOf(ProviderTimeout);
    await expect(read(drip("text/event-stream", ": still here\n\n"), 160)).rejects.toBeInstanceOf(
      ProviderTimeout,
    );
    expect(await read(drip("text/event-stream", "data: {}\n\n"), 20)).toBe(20);
    expect(await read(drip("application/json", "x"), 80)).toBe(80);
  });

  it("doesn't take a time in which the process was suspended for one without data", async () => {
    vi.useFakeTimers();
    let timer: NodeJS.Timeout | undefined;
    const comment = new TextEncoder().encode(": still here\n\n");
    const comments = new ReadableStream({
      start(controller) {
        timer = setInterval(() => controller.enqueue(comment), 10);
      },
      cancel: () => clearInterval(timer),
    });
    const response = new Response(comments, { headers: { "content-type": "text/event-stream" } });
    const begun = scriptedFetch([response], { betweenBytesMs: 60 }).fetch("http://x/");
    await vi.advanceTimersByTimeAsync(10);
    const reader = (await begun).body?.getReader();
    const readPieces = async (count: number) => {
      for (let piece = 0; piece < count; piece++) {
        await vi.advanceTimersByTimeAsync(10);
        await reader?.read();
      }
    };
    await readPieces(10);
    const running = performance.now.bind(performance);
    const late = vi.spyOn(performance, "now").mockImplementation(() => running() + 3_600_000);
    onTestFinished(() => late.mockRestore());
    // Beyond 1200 ms since the last data, so that a clock that counts the suspension has fired.
    await readPieces(120);
    await expect(readPieces(180)).rejects.toBeInstanceOf(ProviderTimeout);
  });

  it("gives up on silence between bytes, and only then", async () => {
    const { fetch } = scriptedFetch([silent(vi.fn(), "one", "two")], { firstByteMs: 15, betweenBytesMs: 30 });
    const reader = (await fetch("http://x/")).body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect([await read(), await read()]).toEqual(["one", "two"]);
    await expect(reader?.read()).rejects.toMatchObject({ name: "ProviderTimeout", ms: 30 });
  });

  it("passes the caller's abort to the provider, before and during the answer", async () => {
    const seen: AbortSignal[] = [];
    const inner: GuardedSend = async (_, signal) => {
      seen.push(signal);
      return answerOf(silent(vi.fn(), "one"), signal);
    };
    const stop = new AbortController();
    const response = await resilientFetch(inner)("http://x/", { signal: stop.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    stop.abort();
    await expect(reader?.read()).rejects.toMatchObject({ name: "AbortError" });
    expect(seen[0]?.aborted).toBe(true);
    await expect(resilientFetch(inner)("http://x/", { signal: stop.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("stops waiting for the next try when the caller leaves", async () => {
    const stop = new AbortController();
    const inner: GuardedSend = async (_, signal) => {
      queueMicrotask(() => stop.abort());
      return answerOf(status(500), signal);
    };
    await expect(resilientFetch(inner)("http://x/", { signal: stop.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("cancels the request when the reader stops", async () => {
    const cancelled = vi.fn();
    const { fetch } = scriptedFetch([silent(cancelled, "one")]);
    await (await fetch("http://x/")).body?.cancel();
    expect(cancelled).toHaveBeenCalled();
  });
});

const URL_ASKED = new URL("http://127.0.0.1/v1/models");
const PATIENCE = { firstByteMs: 10_000, betweenBytesMs: 10_000 };

/** An upstream that answers with a status and the bytes `deliver` hands over. */
const upstream =
  (status: number, deliver: (receiver: ByteReceiver) => void): GuardedSend =>
  async () => ({
    status,
    statusText: "",
    headers: new Headers({ "content-type": status === 206 ? "text/html" : "application/json" }),
    stream: () => null,
    receive(receiver) {
      deliver(receiver);
      return { pause() {}, resume() {}, cancel() {} };
    },
    discard() {},
  });

const whole = (receiver: ByteReceiver) => {
  receiver.data(Buffer.from("{}"));
  receiver.end();
};
const broken = (receiver: ByteReceiver) => receiver.fail(new Error("reset"));
const pending = () => undefined;

describe("a provider's response", () => {
  const { signal } = new AbortController();
  const ask = (status: number, deliver: (receiver: ByteReceiver) => void) =>
    callProvider(
      upstream(status, deliver),
      { url: URL_ASKED, method: "POST", headers: {}, body: "{}", signal },
      PATIENCE,
    );
  const listeners = () => getEventListeners(signal, "abort").length;

  it("leaves no listener on the signal of a call that is retried", async () => {
    for (let attempt = 0; attempt < 12; attempt++)
      await expect(ask(500, whole)).rejects.toBeInstanceOf(ProviderHttpError);
    await expect(ask(206, pending)).rejects.toThrow("web page");
    expect(listeners()).toBe(0);
  });

  it("listens until its body is read, fails or is given up", async () => {
    const read = await ask(200, whole);
    expect(listeners()).toBe(1);
    await readBytes(read, { ...PATIENCE, max: 10 });
    expect(listeners()).toBe(0);

    const failed = await ask(200, broken);
    await expect(readBytes(failed, { ...PATIENCE, max: 10 })).rejects.toThrow("could not be reached");
    expect(listeners()).toBe(0);

    const canceled = await ask(200, pending);
    canceled.receive({ data: pending, end: pending, fail: pending }).cancel();
    (await ask(200, pending)).discard();
    expect(listeners()).toBe(0);
  });
});
