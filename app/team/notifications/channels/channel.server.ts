import { retryAfterOf } from "~/core/durations";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import type { NotificationEvent } from "~/platform/settings/events.shared";

export interface OutgoingMessage {
  /** The same for each attempt. */
  id: string;
  orgId: string;
  event: NotificationEvent | "test";
  title: string;
  body: string;
  link: string;
  createdAt: number;
}

/** An email address, push subscription, or null for a shared channel. */
export interface ChannelTarget {
  email?: string;
  subscription?: { endpoint: string; p256dh: string; auth: string };
}

export interface ChannelSender {
  label: string;
  /** Message about a missing setup; undefined if ready. */
  findProblem(orgId: string): string | undefined;
  /** Whether a failed attempt may have been delivered. Omit if receivers deduplicate by id. */
  isDeliveryUncertain?(error: unknown): boolean;
  /** @throws AppError; the signal's reason */
  send(message: OutgoingMessage, target: ChannelTarget, signal: AbortSignal): Promise<void>;
}

/** Connection errors of Node, undici and nodemailer. */
const INTERRUPTED = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ECONNECTION", "ESOCKET", "ETIMEDOUT"]);

/** An open connection ended; one that failed to open sent nothing. */
export function isInterrupted(error: unknown): boolean {
  if (!(error instanceof AppError) || !(error.cause instanceof Error)) return false;
  const { code, responseCode } = error.cause as Error & { code?: string; responseCode?: number };
  return responseCode === undefined && code !== undefined && INTERRUPTED.has(code);
}

export function findSecretProblem(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

const TIMEOUT = 20_000;
/** In bytes; only read for its error. */
const MAX_RESPONSE_BYTES = 20_000;

interface Post {
  label: string;
  purpose: string;
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
  /** Entered by an admin or the operator: may be private. */
  isNamed: boolean;
  signal: AbortSignal;
}

/** Only 408, 429 and 5xx are retried. */
function refusalOf(label: string, response: Response, text: string): AppError {
  const { status } = response;
  const excerpt = clip(text.replace(/\s+/g, " ").trim(), 200);
  const message = `${label} returned HTTP ${status}${excerpt ? `: ${excerpt}` : "."}`;
  if (status === 429) return new AppError("rate_limited", message, retryAfterOf(response.headers));
  if (status === 408 || status >= 500) return new AppError("provider_unavailable", message);
  return new AppError("provider_rejected", message, { permanent: true });
}

/**
 * Posts through the egress guard, without following redirects.
 *
 * @param explain maps a status to an error of the channel
 * @throws AppError; the signal's reason
 */
export async function post(
  { label, purpose, url, headers, body, isNamed, signal }: Post,
  explain?: (status: number) => AppError | undefined,
): Promise<void> {
  const fetch = guardedFetch(purpose, {
    timeoutMs: TIMEOUT,
    maxBytes: MAX_RESPONSE_BYTES,
    maxRedirects: 0,
    sendsTrace: true,
    ...(isNamed ? { allowOrigins: [new URL(url).origin] } : {}),
  });
  const response = await fetch(url, { method: "POST", headers, body, signal });
  const text = await response.text();
  if (response.ok) return;
  throw explain?.(response.status) ?? refusalOf(label, response, text);
}
