import { setTimeout as delay } from "node:timers/promises";
import { providerBackoff } from "~/core/backoff";
import { AppError } from "~/core/errors";

type Fetch = typeof globalThis.fetch;

/** Timeouts and retries, in ms. */
export interface Patience {
  /** Until the first byte of the body. */
  firstByteMs: number;
  betweenBytesMs: number;
  /** Further tries after the first. */
  retries: number;
  /** Longer `Retry-After` values aren't waited for. */
  retryAfterCapMs: number;
  /** For tests: waits between attempts. */
  pause: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

const PATIENCE: Patience = {
  firstByteMs: 30_000,
  betweenBytesMs: 30_000,
  retries: 3,
  retryAfterCapMs: 20_000,
  pause: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
};

const RETRIED = (status: number) => status === 408 || status === 409 || status === 429 || status >= 500;
/** A 429 without a retry: the quota is exhausted. */
export const QUOTA =
  /insufficient_quota|billing|exceeded your current quota|credit balance|credits? (are|is) too low/i;
export const ERROR_BODY_LIMIT = 64 * 1024;

export class ProviderSilence extends Error {
  readonly ms: number;
  constructor(ms: number) {
    super(`The provider was silent for ${ms} ms`);
    this.name = "ProviderSilence";
    this.ms = ms;
  }
}

/** The response is a web page: the base URL isn't a model API. */
export class ProviderWebPage extends Error {
  constructor() {
    super("The provider answered with a web page");
    this.name = "ProviderWebPage";
  }
}

/** No connection after all attempts. */
export class ProviderUnreachable extends Error {
  constructor(cause: unknown) {
    super("The provider could not be reached", { cause });
    this.name = "ProviderUnreachable";
  }
}

export class ProviderBroken extends Error {
  constructor(cause?: unknown) {
    super("The provider closed the connection before the answer was complete", { cause });
    this.name = "ProviderBroken";
  }
}

/** Errors that are already classified. */
export function isSettled(error: unknown): boolean {
  if (error instanceof AppError) return error.code !== "provider_unavailable";
  return error instanceof ProviderSilence || error instanceof ProviderWebPage;
}

/** A request whose clock runs only while waiting for the upstream. */
class Attempt {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #leave = () => this.#controller.abort(this.#caller?.reason);
  /** Ends the current wait. Racing one long-lived promise would leak memory. */
  #giveUp: (reason: unknown) => void = () => undefined;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    // AbortSignal.any can be collected early on Node 20.
    caller?.addEventListener("abort", this.#leave, { once: true });
    const { signal } = this.#controller;
    signal.addEventListener("abort", () => this.#giveUp(signal.reason), { once: true });
  }

  get caller(): AbortSignal | undefined {
    return this.#caller;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits up to `ms`, then aborts. */
  wait<T>(ms: number, work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#controller.abort(new ProviderSilence(ms)), ms);
    const waiting = new Promise<T>((resolve, reject) => {
      this.#giveUp = reject;
      work.then(resolve, reject);
      if (this.signal.aborted) reject(this.signal.reason);
    });
    return waiting.finally(() => clearTimeout(timer));
  }

  end(reason?: unknown): void {
    this.#caller?.removeEventListener("abort", this.#leave);
    if (reason !== undefined) this.#controller.abort(reason);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const NEWLINE = 10;

/**
 * The body from its first chunk; canceling it aborts the request. In event streams only whole lines count as activity.
 */
function continued(
  attempt: Attempt,
  reader: Reader,
  first: Uint8Array,
  patience: Patience,
  byLines: boolean,
): ReadableStream {
  /** Since the last activity, without the reader's pauses. */
  let waited = 0;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(first);
    },
    async pull(controller) {
      const { caller: signal } = attempt;
      try {
        const started = performance.now();
        const next = await attempt.wait(Math.max(1, patience.betweenBytesMs - waited), reader.read());
        if (!next.done) {
          waited = byLines && !next.value.includes(NEWLINE) ? waited + performance.now() - started : 0;
          return controller.enqueue(next.value);
        }
        attempt.end();
        controller.close();
      } catch (error) {
        attempt.end(error);
        controller.error(signal?.aborted || isSettled(error) ? error : new ProviderBroken(error));
      }
    },
    cancel(reason) {
      attempt.end(reason ?? new DOMException("The request was canceled", "AbortError"));
      reader.cancel(reason).catch(() => undefined);
    },
  });
}

/** Reads an error's body and leaves it readable. */
async function readError(
  attempt: Attempt,
  reader: Reader,
  first: Uint8Array,
  patience: Patience,
): Promise<string> {
  const pieces = [first];
  let size = first.length;
  while (size < ERROR_BODY_LIMIT) {
    const next = await attempt.wait(patience.betweenBytesMs, reader.read());
    if (next.done) break;
    pieces.push(next.value);
    size += next.value.length;
  }
  attempt.end(new DOMException("Enough", "AbortError"));
  return Buffer.concat(pieces).subarray(0, ERROR_BODY_LIMIT).toString("utf8");
}

interface Reply {
  response: Response;
  problem?: string;
}

async function tryOnce(
  inner: Fetch,
  input: RequestInfo | URL,
  init: RequestInit,
  patience: Patience,
): Promise<Reply> {
  init.signal?.throwIfAborted();
  const attempt = new Attempt(init.signal ?? undefined);
  try {
    const answer = await attempt.wait(
      patience.firstByteMs,
      inner(input, { ...init, signal: attempt.signal }),
    );
    const head = { status: answer.status, statusText: answer.statusText, headers: answer.headers };
    if (answer.ok && /^text\/html\b/i.test(answer.headers.get("content-type") ?? ""))
      throw new ProviderWebPage();
    const reader = answer.body?.getReader();
    const first = reader && (await attempt.wait(patience.firstByteMs, reader.read()));
    if (!reader || !first || first.done) {
      attempt.end();
      return { response: new Response(null, head), ...(answer.ok ? {} : { problem: "" }) };
    }
    if (answer.ok) {
      const byLines = /^text\/event-stream\b/i.test(answer.headers.get("content-type") ?? "");
      return { response: new Response(continued(attempt, reader, first.value, patience, byLines), head) };
    }
    const problem = await readError(attempt, reader, first.value, patience);
    return { response: new Response(problem, head), problem };
  } catch (error) {
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
 * @throws ProviderSilence, ProviderWebPage, ProviderUnreachable, the guard's errors, the signal's reason; the body
 * fails with ProviderSilence or ProviderBroken
 */
export function resilientFetch(inner: Fetch, options: Partial<Patience> = {}): Fetch {
  const patience = { ...PATIENCE, ...options };
  return async (input, init = {}) => {
    const signal = init.signal ?? undefined;
    for (let attempt = 0; ; attempt++) {
      let wait = providerBackoff(attempt);
      try {
        const { response, problem } = await tryOnce(inner, input, init, patience);
        if (problem === undefined || attempt >= patience.retries || !RETRIED(response.status))
          return response;
        if (response.status === 429 && QUOTA.test(problem)) return response;
        const retryAfter = readRetryAfter(response.headers, Date.now());
        if (retryAfter !== undefined && retryAfter > patience.retryAfterCapMs) return response;
        wait = retryAfter ?? wait;
      } catch (error) {
        if (signal?.aborted || isSettled(error)) throw error;
        if (attempt >= patience.retries) throw new ProviderUnreachable(error);
      }
      await patience.pause(wait, signal);
    }
  };
}
