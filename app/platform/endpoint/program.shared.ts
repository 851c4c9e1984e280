import type { AppError } from "~/core/errors";

/** Formats an error in the caller's protocol; the content type defaults to JSON. */
export type Refuse = (
  error: AppError,
  requestId: string,
) => { status: number; body: unknown; contentType?: string };

/**
 * Addresses that programs call. They are answered by Express itself, without Remix: bytes as they come, methods as they
 * are sent.
 */
export interface Program {
  /** The beginning of their addresses, such as `/v1`. */
  under: string;
  /** Who calls: those with an API token alone, or anyone, as the address is the secret. By default as elsewhere. */
  callers?: "tokens" | "anyone";
  /** Problem+json by default. */
  refuse?: Refuse;
}
