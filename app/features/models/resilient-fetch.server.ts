import { setTimeout as delay } from "node:timers/promises";
import { providerBackoff } from "~/core/backoff";
import { AppError } from "~/core/errors";

type Fetch = typeof globalThis.fetch;

/** How long a provider may be silent and how often a request is retried. Times are in milliseconds. */
export interface Patience {
  /** From sending the request to the first byte of the answer's body. */
  firstByteMs: number;
  betweenBytesMs: number;
  /** Further tries after the first. */
  retries: number;
  /** A provider that asks for a longer wait isn't waited for. */
  retryAfterCapMs: number;
  /** For tests: waits between two tries. */
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
/** A 429 that more tries can't help: the account has no more to spend. */
export const QUOTA =
  /insufficient_quota|billing|exceeded your current quota|credit balance|credits? (are|is) too low/i;
/** Of a refusal, in bytes. */
export const ERROR_BODY_LIMIT = 64 * 1024;

export class ProviderSilence extends Error {
  readonly ms: number;
  constructor(ms: number) {
    super(`The provider was silent for ${ms} ms`);
    this.name = "ProviderSilence";
    this.ms = ms;
  }
}

/** An answer that is a web page: the base address leads to something that isn't a model API. */
export class ProviderWebPage extends Error {
  constructor() {
    super("The provider answered with a web page");
    this.name = "ProviderWebPage";
  }
}

/** No answer at all: the connection failed, as often as it was tried. */
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

/** Failures that stay what they are: the guard's refusals and what this file found out itself. */
export function isSettled(error: unknown): boolean {
  if (error instanceof AppError) return error.code !== "provider_unavailable";
  return error instanceof ProviderSilence || error instanceof ProviderWebPage;
}

/** One request whose clock runs only while the other side is waited for. */
class Attempt {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #leave = () => this.#controller.abort(this.#caller?.reason);
  /** Ends the present wait. One at a time: a race against one long-lived promise would remember every wait. */
  #giveUp: (reason: unknown) => void = () => undefined;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    // Not AbortSignal.any: on Node 20 the combined signal can be collected before it fires.
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

  /** Waits for the other side, at most `ms`; then the request is given up. */
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
 * The response's body from its first chunk on; cancels the provider's request when the reader stops. In an event stream
 * only whole lines count as activity: bytes that trickle in without completing an event count as silence.
 */
function continued(
  attempt: Attempt,
  reader: Reader,
  first: Uint8Array,
  patience: Patience,
  byLines: boolean,
): ReadableStream {
  /** Since the last sign of life, without the time in which no one asked for more. */
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

/** What is left of an error's body, as text, so that it can be looked at and still be read by the caller. */
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

/** Milliseconds a provider asks to wait (RFC 9110 section 10.2.3: seconds or a date), or nothing. */
export function readRetryAfter(headers: Headers, at: number): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - at);
}

/**
 * A fetch that gives up on a silent provider and tries again what may pass: a failed connection, 408, 409, 429
 * (unless the quota is used up) and 5xx, and only while no byte of a good answer has come. The caller's abort passes
 * through at any time.
 *
 * @throws ProviderSilence, ProviderWebPage, ProviderUnreachable, the guard's refusals, or the signal's reason; its body
 *   fails with ProviderSilence or ProviderBroken
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
        const asked = readRetryAfter(response.headers, Date.now());
        if (asked !== undefined && asked > patience.retryAfterCapMs) return response;
        wait = asked ?? wait;
      } catch (error) {
        if (signal?.aborted || isSettled(error)) throw error;
        if (attempt >= patience.retries) throw new ProviderUnreachable(error);
      }
      await patience.pause(wait, signal);
    }
  };
}
