import type { z } from "zod";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { keyFor } from "~/team/keys/keys.service.server";
import { MAX_FILE_BYTES } from "~/work/extraction/formats.shared";
import type { SourceRow } from "../sources.repo.server";

export interface SourceEntry {
  /** Below the source's own folder, with slashes. */
  path: string;
  /** Changes with the content. */
  etag: string;
  /** In bytes; null if the place doesn't say. */
  size: number | null;
  /** Where a person can open it. */
  link: string | null;
}

export interface Listing {
  entries: SourceEntry[];
  /** Folders that can't be read, with the reason. */
  skipped?: readonly { path: string; reason: string }[];
  /** False if there are more than the limit or unread folders, so that nothing counts as removed. */
  isComplete: boolean;
  /** State of the place, if its kind has one. */
  cursor: string | null;
}

/** A place that is opened for one sync. */
export interface OpenSource {
  /**
   * Lists up to `limit` files.
   * @param since the cursor of the last complete listing
   * @returns undefined if nothing changed since then
   * @throws AppError with a user-facing message; transient errors have a network or provider code
   */
  list(options: { limit: number; since: string | null; signal: AbortSignal }): Promise<Listing | undefined>;
  /** @throws AppError `not_found` if it is gone; as `list` */
  fetch(entry: SourceEntry, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

export type OpenKind = (source: SourceRow) => OpenSource;

/** Limits of a request: total time and silence, in ms. */
export const REQUEST_LIMITS = { timeoutMs: 120_000, silenceMs: 30_000, maxBytes: MAX_FILE_BYTES + 1 };

/** Requests to the one origin that an admin named for a source; a redirect could send its key elsewhere. */
export const sourceFetch = (kind: SourceRow["kind"], origin: string, maxBytes: number): typeof fetch =>
  guardedFetch(`source:${kind}`, { ...REQUEST_LIMITS, maxBytes, maxRedirects: 0, allowOrigins: [origin] });

/** @throws AppError `provider_key` if the reference is gone, unset or bound elsewhere */
export const secretOf = ({ orgId, keyId }: SourceRow, origin: string): string | undefined =>
  keyId === null ? undefined : keyFor(orgId, { kind: "source", keyId, origin });

/** Whether what is fetched there could be replaced on its way, which it can't within this machine. */
export function isOpenToNetwork(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol !== "https:" && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

export const basicAuth = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`;

/** Whether a path can be shown, stored and requested as it is: no traversal, no control characters. */
export const isSafePath = (path: string): boolean =>
  path.length > 0 &&
  path.length <= 1000 &&
  path.isWellFormed() &&
  !/[\p{Cc}\\\ufffd]/u.test(path) &&
  path.split("/").every((part) => part !== "" && part !== "." && part !== "..");

/** @throws AppError if the stored config is another kind's, which only a damaged database has */
export function configOf<T>(schema: z.ZodType<T>, { config }: SourceRow): T {
  const parsed = schema.safeParse(config);
  if (parsed.success) return parsed.data;
  throw new AppError("invalid", "The source's settings can't be read. Save them again.");
}

/** The error of an unsuccessful response, without its body. */
export async function refuseResponse(response: Response, host: string): Promise<never> {
  await response.body?.cancel();
  const { status } = response;
  if (status === 404 || status === 410)
    throw new AppError("not_found", `${host} has no such file or folder.`);
  if (status === 401 || status === 403)
    throw new AppError("provider_key", `${host} refused the key, or it may not read this (HTTP ${status}).`);
  const isTransient = status === 429 || status === 408 || status >= 500;
  throw new AppError(
    isTransient ? "provider_unavailable" : "unprocessable",
    `${host} returned HTTP ${status}.`,
  );
}

export const bodyOf = (response: Response): AsyncIterable<Uint8Array> =>
  (response.body ?? []) as unknown as AsyncIterable<Uint8Array>;
