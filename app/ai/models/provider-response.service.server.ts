import { followSignal } from "~/core/abort";
import type { ByteFlow, ByteReceiver, EgressResponse, GuardedSend } from "~/core/egress/index.server";
import { SilenceClock } from "~/core/silence-clock";
import {
  isClassified,
  ProviderDisconnected,
  ProviderHtmlResponse,
  ProviderHttpError,
  ProviderTimeout,
  ProviderUnreachable,
} from "./provider-errors.server";
import { ERROR_BODY_LIMIT } from "./resilient-fetch.server";

export { ProviderTimeout };

export interface ProviderResponse {
  contentType: string;
  /**
   * Streams the body. Fails with the caller's abort reason, ProviderDisconnected, ProviderUnreachable or the egress guard's
   * error.
   */
  receive(receiver: ByteReceiver): ByteFlow;
  discard(): void;
}

interface ProviderRequest {
  url: URL;
  headers: Record<string, string>;
  body: string | Uint8Array;
  signal?: AbortSignal | undefined;
}

interface Exchange {
  response: EgressResponse;
  /** Unsubscribes from the caller's signal, which retries share. */
  release(): void;
}

/** Waits up to `ms` for the headers. */
async function fetchHeaders(
  send: GuardedSend,
  { url, headers, body, signal }: ProviderRequest,
  ms: number,
): Promise<Exchange> {
  signal?.throwIfAborted();
  const { controller, release } = followSignal(signal);
  const clock = new SilenceClock(ms, () => controller.abort(new ProviderTimeout(ms)));
  clock.wait();
  try {
    return { response: await send({ url, method: "POST", headers, body }, controller.signal), release };
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

interface ReadLimits {
  /** Timeouts in ms: first byte, and between bytes. */
  firstByteMs: number;
  betweenBytesMs: number;
  /** Maximum bytes. */
  max: number;
}

/**
 * Reads a body.
 * @returns its bytes, more than `max` if truncated
 * @throws ProviderTimeout, and errors of `ProviderResponse.receive`
 */
export function readBytes(response: Pick<ProviderResponse, "receive">, limits: ReadLimits): Promise<Buffer> {
  const { firstByteMs, betweenBytesMs, max } = limits;
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let flow: ByteFlow | undefined;
    let isOver = false;
    const settle = (error?: unknown) => {
      if (isOver) return;
      isOver = true;
      clock.stop();
      if (error !== undefined) reject(error);
      else resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
    };
    const onTimeout = (ms: number) => {
      settle(new ProviderTimeout(ms));
      flow?.cancel();
    };
    let clock = new SilenceClock(firstByteMs, () => onTimeout(firstByteMs));
    clock.wait();
    flow = response.receive({
      data(chunk) {
        if (isOver) return;
        if (size === 0) {
          clock.stop();
          clock = new SilenceClock(betweenBytesMs, () => onTimeout(betweenBytesMs));
          clock.wait();
        } else clock.restart();
        pieces.push(chunk);
        size += chunk.length;
        if (size <= max) return;
        settle();
        flow?.cancel();
      },
      end: () => settle(),
      fail: (error) => settle(error),
    });
    if (size > max) flow.cancel();
  });
}

/**
 * Sends a request once.
 * @throws ProviderHttpError for an error status, ProviderTimeout, ProviderHtmlResponse, ProviderUnreachable, the guard's
 * errors, the signal's reason
 */
export async function callProvider(
  send: GuardedSend,
  request: ProviderRequest,
  timeouts: Pick<ReadLimits, "firstByteMs" | "betweenBytesMs">,
): Promise<ProviderResponse> {
  const { signal } = request;
  const { response, release } = await fetchHeaders(send, request, timeouts.firstByteMs);
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
  if (response.status < 200 || response.status > 299) {
    const body = await readBytes({ receive }, { ...timeouts, max: ERROR_BODY_LIMIT });
    const text = body.subarray(0, ERROR_BODY_LIMIT).toString("utf8");
    throw new ProviderHttpError(response.status, text, response.headers);
  }
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";", 1);
  const contentType = type.trim().toLowerCase();
  if (contentType === "text/html") {
    discard();
    throw new ProviderHtmlResponse();
  }
  return { contentType, receive, discard };
}
