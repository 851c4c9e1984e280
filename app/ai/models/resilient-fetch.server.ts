import { setTimeout as delay } from "node:timers/promises";
import { providerBackoff } from "~/core/backoff";
import type { ByteFlow, ByteReceiver, EgressResponse, RawFetch } from "~/core/egress/index.server";
import { SilenceClock } from "~/core/silence-clock";
import {
  isClassified,
  ProviderDisconnected,
  ProviderHtmlResponse,
  ProviderTimeout,
  ProviderUnreachable,
} from "./provider-errors.server";
import { isQuotaFault, readProviderFault } from "./provider-fault";

type Fetch = typeof globalThis.fetch;
type UpstreamResponse = Pick<EgressResponse, "status" | "statusText" | "headers" | "receive">;
/** The egress guard's fetch, which rejects with the signal's reason. */
export type UpstreamFetch = (...args: Parameters<RawFetch>) => Promise<UpstreamResponse>;

/** Timeouts and retries, in ms. */
export interface FetchOptions {
  /** Until the first byte of the body. */
  firstByteMs: number;
  betweenBytesMs: number;
  retries: number;
  /** Longer `Retry-After` values aren't waited for. */
  retryAfterCapMs: number;
  /** Waits between attempts; replaced in tests. */
  sleep: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

const DEFAULTS: FetchOptions = {
  firstByteMs: 30_000,
  betweenBytesMs: 30_000,
  retries: 3,
  retryAfterCapMs: 20_000,
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
};

const isRetryable = (status: number) => status === 408 || status === 409 || status === 429 || status >= 500;
export const ERROR_BODY_LIMIT = 64 * 1024;

/** Aborts a request with the caller, until the response has ended. */
class Attempt {
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort(this.caller?.reason);

  constructor(readonly caller: AbortSignal | undefined) {
    // Not AbortSignal.any: see `followSignal`.
    caller?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  end(reason?: unknown): void {
    this.caller?.removeEventListener("abort", this.#onAbort);
    if (reason !== undefined) this.abort(reason);
  }
}

const NEWLINE = 10;
const FIELD = "data:";

/** Lines with data in a stream of server-sent events. */
class DataLines {
  /** The end of the bytes before, which a field's name can cross. */
  #tail = "\n";
  #hasData = false;

  /** @returns whether a line with data may have ended */
  take(chunk: Buffer): boolean {
    const text = this.#tail + chunk.toString("latin1");
    this.#tail = text.slice(-FIELD.length);
    this.#hasData ||= /[\r\n]data:/.test(text);
    if (!this.#hasData || !chunk.includes(NEWLINE)) return false;
    this.#hasData = false;
    return true;
  }
}

/** How many times the longest silence a stream may go on without data: some providers send comments while a call waits. */
const WITHOUT_DATA = 10;

/** Buffered bytes before the provider is paused. */
const READ_AHEAD = 64 * 1024;

/** A response's body as a stream; canceling it aborts the request. The silence clocks stop for a slow reader. */
class UpstreamBody implements ByteReceiver {
  /** Resolves with the first byte, or false for an empty body. @throws the error before it */
  readonly firstByte: Promise<boolean>;
  readonly stream: ReadableStream<Uint8Array>;
  readonly #attempt: Attempt;
  /** Finds whole lines of data: comments and pieces of a line count for a while only. Undefined for other bodies. */
  readonly #lines: DataLines | undefined;
  readonly #clock: SilenceClock;
  /** Restarted by data only. */
  readonly #dataClock: SilenceClock | undefined;
  #flow: ByteFlow | undefined;
  #hasBegun = false;
  #resolveFirstByte!: (hasBytes: boolean) => void;
  #rejectFirstByte!: (error: unknown) => void;
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor(response: UpstreamResponse, attempt: Attempt, betweenBytesMs: number, byLines: boolean) {
    this.#attempt = attempt;
    const clockOf = (ms: number) => new SilenceClock(ms, () => attempt.abort(new ProviderTimeout(ms)));
    this.#lines = byLines ? new DataLines() : undefined;
    this.#clock = clockOf(betweenBytesMs);
    this.#dataClock = byLines ? clockOf(WITHOUT_DATA * betweenBytesMs) : undefined;
    this.firstByte = new Promise((resolve, reject) => {
      this.#resolveFirstByte = resolve;
      this.#rejectFirstByte = reject;
    });
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#resume(),
        cancel: (reason) => this.#cancel(reason),
      },
      { highWaterMark: READ_AHEAD, size: (chunk) => chunk.byteLength },
    );
    this.#flow = response.receive(this);
    this.#pauseIfFull();
  }

  data(chunk: Buffer): void {
    this.#clock.restart();
    if (this.#lines?.take(chunk)) this.#dataClock?.restart();
    this.#controller.enqueue(chunk);
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#wait();
      this.#resolveFirstByte(true);
    }
    this.#pauseIfFull();
  }

  end(): void {
    this.#stop();
    this.#attempt.end();
    this.#controller.close();
    this.#resolveFirstByte(false);
  }

  fail(error: unknown): void {
    this.#stop();
    this.#attempt.end(error);
    const isKnown = this.#attempt.caller?.aborted || isClassified(error);
    if (this.#hasBegun) this.#controller.error(isKnown ? error : new ProviderDisconnected(error));
    else this.#rejectFirstByte(error);
  }

  #resume(): void {
    this.#flow?.resume();
    if (this.#hasBegun) this.#wait();
  }

  #wait(): void {
    this.#clock.wait();
    this.#dataClock?.wait();
  }

  #stop(): void {
    this.#clock.stop();
    this.#dataClock?.stop();
  }

  #pauseIfFull(): void {
    if ((this.#controller.desiredSize ?? 0) > 0) return;
    this.#clock.pause();
    this.#dataClock?.pause();
    this.#flow?.pause();
  }

  #cancel(reason: unknown): void {
    this.#stop();
    this.#attempt.end(reason ?? new DOMException("The request was canceled", "AbortError"));
  }
}

async function readError({ stream }: UpstreamBody): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  while (size < ERROR_BODY_LIMIT) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    size += value.length;
  }
  await reader.cancel();
  return Buffer.concat(pieces).subarray(0, ERROR_BODY_LIMIT).toString("utf8");
}

interface Exchange {
  response: Response;
  /** Set for an error status. */
  errorBody?: string;
}

async function sendOnce(
  inner: UpstreamFetch,
  input: RequestInfo | URL,
  init: RequestInit,
  { firstByteMs, betweenBytesMs }: FetchOptions,
): Promise<Exchange> {
  init.signal?.throwIfAborted();
  const attempt = new Attempt(init.signal ?? undefined);
  const clock = new SilenceClock(firstByteMs, () => attempt.abort(new ProviderTimeout(firstByteMs)));
  clock.wait();
  try {
    const response = await inner(input, { ...init, signal: attempt.signal });
    clock.restart();
    const { status, statusText, headers } = response;
    const head = { status, statusText, headers };
    const isOk = status >= 200 && status <= 299;
    const type = headers.get("content-type") ?? "";
    if (isOk && /^text\/html\b/i.test(type)) throw new ProviderHtmlResponse();
    const body = new UpstreamBody(response, attempt, betweenBytesMs, /^text\/event-stream\b/i.test(type));
    const hasBytes = await body.firstByte;
    clock.stop();
    if (!hasBytes) return { response: new Response(null, head), ...(isOk ? {} : { errorBody: "" }) };
    if (isOk) return { response: new Response(body.stream, head) };
    const errorBody = await readError(body);
    return { response: new Response(errorBody, head), errorBody };
  } catch (error) {
    clock.stop();
    attempt.end(error);
    throw error;
  }
}

/** Retry-After in ms (RFC 9110 10.2.3: seconds or a date). */
export function readRetryAfter(headers: Headers, at: number): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - at);
}

/**
 * Fetch with timeouts that retries failed connections, 408, 409, 429 (except quota) and 5xx before the first byte.
 * @throws ProviderTimeout, ProviderHtmlResponse, ProviderUnreachable, the guard's errors, the signal's reason; the body
 * fails with ProviderTimeout or ProviderDisconnected
 */
export function resilientFetch(inner: UpstreamFetch, changes: Partial<FetchOptions> = {}): Fetch {
  const options = { ...DEFAULTS, ...changes };
  return async (input, init = {}) => {
    const signal = init.signal ?? undefined;
    for (let attempt = 0; ; attempt++) {
      let wait = providerBackoff(attempt);
      try {
        const { response, errorBody } = await sendOnce(inner, input, init, options);
        if (errorBody === undefined || attempt >= options.retries || !isRetryable(response.status))
          return response;
        if (response.status === 429 && isQuotaFault(429, readProviderFault(errorBody))) return response;
        const retryAfter = readRetryAfter(response.headers, Date.now());
        if (retryAfter !== undefined && retryAfter > options.retryAfterCapMs) return response;
        wait = retryAfter ?? wait;
      } catch (error) {
        if (signal?.aborted || isClassified(error)) throw error;
        if (attempt >= options.retries) throw new ProviderUnreachable(error);
      }
      await options.sleep(wait, signal);
    }
  };
}
