import { AppError, type ErrorCode } from "~/core/errors";
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

export const isCode = (error: unknown, code: ErrorCode): boolean =>
  error instanceof AppError && error.code === code;

/** An open connection ended; one that failed to open sent nothing. */
export function isInterrupted(error: unknown): boolean {
  if (!(error instanceof AppError) || !(error.cause instanceof Error)) return false;
  const { code, responseCode } = error.cause as Error & { code?: string; responseCode?: number };
  return responseCode === undefined && code !== undefined && INTERRUPTED.has(code);
}

/** Undefined if usable. */
export function findSecretProblem(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
