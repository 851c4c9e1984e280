import { setTimeout as delay } from "node:timers/promises";
import { followSignal } from "~/core/abort";
import { SilenceClock } from "~/core/clock.server";
import { providerBackoff, readRetryAfter } from "~/core/durations";
import type { ByteFlow, ByteReceiver, GuardedSend } from "~/core/egress/index.server";
import {
  isClassified,
  ProviderDisconnected,
  ProviderHtmlResponse,
  ProviderHttpError,
  ProviderTimeout,
  ProviderUnreachable,
} from "./provider-errors.server";
import { isQuotaFault, readProviderFault } from "./provider-fault";

export { ProviderTimeout };

type Fetch = typeof globalThis.fetch;

/** In ms. */
interface Timeouts {
  /** Until the first byte of the body. */
  firstByteMs: number;
  betweenBytesMs: number;
}

export interface FetchOptions extends Timeouts {
  retries: number;
  /** Waits between attempts; replaced in tests. */
  sleep: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

const DEFAULTS: FetchOptions = {
  firstByteMs: 30_000,
  betweenBytesMs: 30_000,
  retries: 3,
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
};

/** Longer `Retry-After` values aren't waited for, in ms. */
const RETRY_AFTER_CAP = 20_000;
/** In bytes. */
const ERROR_BODY_LIMIT = 64 * 1024;
/** Buffered bytes before the provider is paused. */
const READ_AHEAD = 64 * 1024;

interface ProviderRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
}

export interface ProviderResponse {
  status: number;
  headers: Headers;
  contentType: string;
  /**
   * Streams the body. Fails with the caller's abort reason, ProviderDisconnected, ProviderUnreachable or the egress guard's
   * error.
   */
  receive(receiver: ByteReceiver): ByteFlow;
  discard(): void;
}

/** Waits up to `ms` for the headers. `release` unsubscribes from the caller's signal, which retries share. */
async function fetchHeaders(send: GuardedSend, { signal, ...request }: ProviderRequest, ms: number) {
  signal?.throwIfAborted();
  const { controller, release } = followSignal(signal);
  const clock = new SilenceClock(ms, () => controller.abort(new ProviderTimeout(ms, false)));
  clock.wait();
  try {
    return { response: await send(request, controller.signal), release };
  } catch (error) {
    release();
    throw signal?.aborted || isClassified(error) ? error : new ProviderUnreachable(error);
  } finally {
    clock.stop();
  }
}

function classifyErrors(
  receiver: ByteReceiver,
  signal: AbortSignal | undefined,
  release: () => void,
): ByteReceiver {
  let hasStarted = false;
  return {
    data(chunk) {
      hasStarted = true;
      receiver.data(chunk);
    },
    end() {
      release();
      receiver.end();
    },
    fail(error) {
      release();
      if (signal?.aborted || isClassified(error)) receiver.fail(error);
      else receiver.fail(hasStarted ? new ProviderDisconnected(error) : new ProviderUnreachable(error));
    },
  };
}

class DataLines {
  /** The end of the bytes before, which a field's name can cross. */
  #tail = "\n";
  #hasData = false;

  /** @returns whether a line with data may have ended */
  take(chunk: Buffer): boolean {
    const text = this.#tail + chunk.toString("latin1");
    this.#tail = text.slice(-"data:".length);
    this.#hasData ||= /[\r\n]data:/.test(text);
    if (!this.#hasData || !chunk.includes("\n")) return false;
    this.#hasData = false;
    return true;
  }
}

/**
 * How many times the longest silence a stream may go on without anything of an answer: providers send comments while a
 * call waits, and models think. 10 minutes by default.
 */
export const WITHOUT_CONTENT = 20;

/** A response's body as a stream; canceling it aborts the request. The silence clocks stop for a slow reader. */
class BodyStream implements ByteReceiver {
  /** Resolves with the first byte, or false for an empty body. @throws the error before it */
  readonly firstByte: Promise<boolean>;
  readonly stream: ReadableStream<Uint8Array>;
  readonly #timeouts: Timeouts;
  /** Finds whole lines of data: comments and pieces of a line count for a while only. Undefined for other bodies. */
  readonly #lines: DataLines | undefined;
  #clock: SilenceClock;
  #dataClock: SilenceClock | undefined;
  #flow: ByteFlow | undefined;
  #hasBegun = false;
  #isOver = false;
  #resolveFirstByte!: (hasBytes: boolean) => void;
  #rejectFirstByte!: (error: unknown) => void;
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor(response: Pick<ProviderResponse, "contentType" | "receive">, timeouts: Timeouts) {
    this.#timeouts = timeouts;
    this.#lines = response.contentType === "text/event-stream" ? new DataLines() : undefined;
    this.#clock = this.#clockOf(timeouts.firstByteMs);
    this.#clock.wait();
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
        cancel: () => this.#stop(),
      },
      { highWaterMark: READ_AHEAD, size: (chunk) => chunk.byteLength },
    );
    this.#flow = response.receive(this);
    if (this.#isOver) this.#flow.cancel();
    else this.#pauseIfFull();
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#clock.restart();
    if (this.#lines?.take(chunk)) this.#dataClock?.restart();
    this.#controller.enqueue(chunk);
    if (!this.#hasBegun) this.#begin();
    this.#pauseIfFull();
  }

  end(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#controller.close();
    this.#resolveFirstByte(false);
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#finish();
    // An error overtakes the bytes that wait in a chain of streams: they are read in this turn.
    if (this.#hasBegun) setImmediate(() => this.#controller.error(error));
    else this.#rejectFirstByte(error);
  }

  #clockOf(ms: number, isBusy = false): SilenceClock {
    return new SilenceClock(ms, () => {
      this.fail(new ProviderTimeout(ms, this.#hasBegun, isBusy));
      this.#flow?.cancel();
    });
  }

  #begin(): void {
    const { betweenBytesMs } = this.#timeouts;
    this.#hasBegun = true;
    this.#clock.stop();
    this.#clock = this.#clockOf(betweenBytesMs);
    if (this.#lines) this.#dataClock = this.#clockOf(WITHOUT_CONTENT * betweenBytesMs, true);
    this.#wait();
    this.#resolveFirstByte(true);
  }

  #resume(): void {
    if (this.#isOver) return;
    this.#flow?.resume();
    if (this.#hasBegun) this.#wait();
  }

  #wait(): void {
    this.#clock.wait();
    this.#dataClock?.wait();
  }

  #pauseIfFull(): void {
    if (this.#isOver || (this.#controller.desiredSize ?? 0) > 0) return;
    this.#clock.pause();
    this.#dataClock?.pause();
    this.#flow?.pause();
  }

  #finish(): void {
    this.#isOver = true;
    this.#clock.stop();
    this.#dataClock?.stop();
  }

  #stop(): void {
    this.#finish();
    this.#flow?.cancel();
  }
}

/** A body as a stream, once its first byte is there; null if it is empty. @throws as `readBytes` */
export async function openBody(
  response: Pick<ProviderResponse, "contentType" | "receive">,
  timeouts: Timeouts,
): Promise<ReadableStream<Uint8Array> | null> {
  const body = new BodyStream(response, timeouts);
  return (await body.firstByte) ? body.stream : null;
}

/**
 * Reads a body.
 * @param limits.max in bytes
 * @returns its bytes, more than `max` if truncated
 * @throws ProviderTimeout, and errors of `ProviderResponse.receive`
 */
export async function readBytes(
  response: Pick<ProviderResponse, "contentType" | "receive">,
  { max, ...timeouts }: Timeouts & { max: number },
): Promise<Buffer> {
  const reader = (await openBody(response, timeouts))?.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    pieces.push(next.value);
    size += next.value.length;
    if (size > max) await reader?.cancel();
  }
  return Buffer.concat(pieces);
}

/**
 * Sends a request once.
 * @throws ProviderHttpError for an error status, ProviderTimeout, ProviderHtmlResponse, ProviderUnreachable, the guard's
 * errors, the signal's reason
 */
export async function callProvider(
  send: GuardedSend,
  request: ProviderRequest,
  { firstByteMs, betweenBytesMs }: Timeouts,
): Promise<ProviderResponse> {
  const { signal } = request;
  const { response, release } = await fetchHeaders(send, request, firstByteMs);
  const { status, headers } = response;
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  const contentType = type.trim().toLowerCase();
  const receive = (receiver: ByteReceiver): ByteFlow => {
    const flow = response.receive(classifyErrors(receiver, signal, release));
    return {
      pause: () => flow.pause(),
      resume: () => flow.resume(),
      cancel() {
        release();
        flow.cancel();
      },
    };
  };
  const discard = () => {
    release();
    response.discard();
  };
  if (status < 200 || status > 299) {
    const limits = { firstByteMs, betweenBytesMs, max: ERROR_BODY_LIMIT };
    const body = await readBytes({ contentType, receive }, limits);
    throw new ProviderHttpError(status, body.subarray(0, ERROR_BODY_LIMIT).toString("utf8"), headers);
  }
  if (contentType === "text/html") {
    discard();
    throw new ProviderHtmlResponse();
  }
  return { status, headers, contentType, receive, discard };
}

const isRetryable = (status: number) => status === 408 || status === 409 || status === 429 || status >= 500;

/** @returns ms before a retry, or undefined without one */
function pauseAfter(error: unknown, usual: number): number | undefined {
  if (!(error instanceof ProviderHttpError)) return usual;
  const { statusCode, responseBody, responseHeaders } = error;
  if (!isRetryable(statusCode)) return undefined;
  if (statusCode === 429 && isQuotaFault(429, readProviderFault(responseBody))) return undefined;
  const pause = readRetryAfter(new Headers(responseHeaders), Date.now()) ?? usual;
  return pause > RETRY_AFTER_CAP ? undefined : pause;
}

/** The adapters read error responses themselves. */
function toFetchResponse(error: unknown): Response {
  if (!(error instanceof ProviderHttpError)) throw error;
  const { statusCode: status, responseBody, responseHeaders: headers } = error;
  return new Response(responseBody || null, { status, headers });
}

/**
 * The client as a fetch for the adapters. It retries failed connections, 408, 409, 429 (except quota) and 5xx before the
 * first byte.
 * @throws as `callProvider`; the body fails with ProviderTimeout or ProviderDisconnected
 */
export function resilientFetch(send: GuardedSend, changes: Partial<FetchOptions> = {}): Fetch {
  const options = { ...DEFAULTS, ...changes };
  return async (input, { method = "GET", body, signal: given, ...init } = {}) => {
    if (body != null && typeof body !== "string") throw new TypeError("Adapters send texts only.");
    const headers: Record<string, string> = {
      ...(method === "GET" ? { "accept-encoding": "gzip, deflate, br" } : {}),
      ...Object.fromEntries(new Headers(init.headers)),
    };
    const signal = given ?? undefined;
    const url = new URL(input instanceof Request ? input.url : input);
    for (let attempt = 0; ; attempt++) {
      let pause: number | undefined;
      try {
        const response = await callProvider(
          send,
          { url, method, headers, body: body ?? undefined, signal },
          options,
        );
        return new Response(await openBody(response, options), {
          status: response.status,
          headers: response.headers,
        });
      } catch (error) {
        signal?.throwIfAborted();
        if (isClassified(error)) throw error;
        const usual = providerBackoff(attempt);
        pause = attempt < options.retries ? pauseAfter(error, usual) : undefined;
        if (pause === undefined) return toFetchResponse(error);
      }
      await options.sleep(pause, signal);
    }
  };
}
