import { retryAfterOf } from "~/core/durations";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { readSettings } from "~/platform/settings/settings.service.server";
import { keyFor } from "~/team/keys/keys.service.server";
import type { KeyProvider } from "~/team/keys/keys.shared";
import { type PageRequest, SERVER_SHAPES, type ServerKind } from "./server-shapes";

/** For one page (ms). A server that reads on a processor can take a minute. */
const PAGE_TIMEOUT = 120_000;
/** Of the answer for one page, in bytes; a page of small print has 20,000. */
const MAX_ANSWER_BYTES = 2_000_000;

/** A server that reads pictures of pages, named by an admin, which is consent to send them there. */
export interface ReadingServer {
  orgId: string;
  kind: ServerKind;
  /** Without a slash at its end. */
  address: string;
  /** Empty for none. */
  keyId: string;
  model: string;
  /** For one page (ms). */
  timeoutMs: number;
}

/** Kinds of keys that may be sent to a reading server, each to the address that it is bound to only. */
export const KEY_KINDS: readonly KeyProvider[] = ["other", "custom", "litellm"];

/**
 * The server that reads scanned pages by the settings of now; null if none is chosen. Ask for it before each page, so
 * that nothing more is sent once an admin chose another.
 */
export function readingServer(orgId: string): ReadingServer | null {
  const { reader, address, keyId, model } = readSettings(orgId, "recognition");
  if (reader === "off" || reader === "builtin" || address === "") return null;
  return {
    orgId,
    kind: reader,
    address: trimAddress(address),
    keyId,
    model,
    timeoutMs: PAGE_TIMEOUT,
  };
}

/** Paths are added to it: the version, which documentations of Mistral show with the address, is one of them. */
const trimAddress = (address: string) => address.replace(/\/+$/, "").replace(/\/v1$/, "");

export const originOf = ({ address }: Pick<ReadingServer, "address">) => new URL(address).origin;

export const nameOf = ({ kind }: Pick<ReadingServer, "kind">) => SERVER_SHAPES[kind].name;

const labelOf = (server: ReadingServer) => `${nameOf(server)} at ${new URL(server.address).host}`;

/** Ingestion tries 408, 429 and 5xx again, and no other. */
function refusalOf(server: ReadingServer, response: Response, path: string): AppError {
  const { status } = response;
  const label = labelOf(server);
  if (status === SERVER_SHAPES[server.kind].unreadable) return unreadableError(server);
  if (status === 401 || status === 403)
    return new AppError(
      "provider_key",
      server.keyId
        ? `${label} rejected the key. Check the key reference and its environment variable.`
        : `${label} needs a key. Choose a key reference in the settings of scanned pages.`,
    );
  if (status === 429)
    return new AppError(
      "rate_limited",
      `${label} reached its rate limit. Try again later.`,
      retryAfterOf(response.headers),
    );
  if (status === 408 || status >= 500)
    return new AppError(
      "provider_unavailable",
      `${label} returned an error (HTTP ${status}). Try again later, and see its log if that doesn't help.`,
      retryAfterOf(response.headers),
    );
  const remedy =
    status === 404 || status === 405
      ? `Check that the address and the kind of server are right: it was asked for ${path}.`
      : server.kind === "mistral"
        ? "Check the model in the settings of scanned pages, and the server's log."
        : "See its log.";
  return new AppError("provider_rejected", `${label} refused the page (HTTP ${status}). ${remedy}`);
}

/** What servers put where a picture was: Markdown's image, or Docling's placeholder. */
const PLACEHOLDER = /^!\[[^\]\n]*\]\([^)\n]*\)$|^<!-- image -->$/gm;

const tidy = (text: string) =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/(?![\n\t])\p{Cc}/gu, " ")
    .replace(PLACEHOLDER, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

function readAnswer(server: ReadingServer, response: Response, text: string): string {
  const contentType = response.headers.get("content-type") ?? "";
  let read: string | undefined;
  try {
    read = SERVER_SHAPES[server.kind].readText({ text, contentType });
  } catch {
    // Its cause is left out: it would be reported as a fault of the caller's input.
    throw new AppError(
      "provider_rejected",
      `${labelOf(server)} answered in an unknown form. Check that the address and the kind of server are right.`,
    );
  }
  if (read !== undefined) return tidy(read);
  throw unreadableError(server);
}

/** Of this page alone: others may be read. */
const unreadableError = (server: ReadingServer) =>
  new AppError("unprocessable", `${labelOf(server)} couldn't read the page. See its log.`);

/** Adds the server's name and what to do to an error of a connection, which names the host. */
function explainConnection(server: ReadingServer, error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, permanent } = error;
  const remedy = "Check that it runs, and its address in the settings of scanned pages.";
  return new AppError(code, `${nameOf(server)}: ${message} ${remedy}`, { cause: error, permanent });
}

/** @throws AppError that names the server; the signal's reason */
async function send(
  server: ReadingServer,
  { method, path, headers, body }: PageRequest,
  signal: AbortSignal | undefined,
): Promise<{ response: Response; text: string }> {
  const { kind, address, timeoutMs } = server;
  // A redirect could send the page to another host.
  const fetch = guardedFetch(`recognition:${kind}`, {
    allowOrigins: [originOf(server)],
    maxBytes: MAX_ANSWER_BYTES,
    maxRedirects: 0,
    timeoutMs,
    silenceMs: timeoutMs,
    sendsTrace: true,
  });
  const init = { method, headers: { accept: "application/json", ...headers }, body, signal: signal ?? null };
  try {
    const response = await fetch(`${address}${path}`, init);
    if (response.ok) return { response, text: await response.text() };
    await response.body?.cancel();
    return { response, text: "" };
  } catch (error) {
    throw signal?.aborted ? signal.reason : explainConnection(server, error);
  }
}

/**
 * Sends the picture of a page to a server and returns the text that it read, in paragraphs; empty if there is none. Text
 * of Mistral is Markdown.
 *
 * @param picture a PNG
 * @throws AppError that names the server and what to do: `provider_timeout`, `provider_unavailable` and `rate_limited`
 *   may pass; `provider_key`, `provider_rejected`, `too_large` and `egress_refused` don't, and `unprocessable` is about
 *   this page alone. The signal's reason
 */
export async function recognizeAtServer(
  server: ReadingServer,
  picture: Uint8Array,
  signal?: AbortSignal,
): Promise<string> {
  const { kind, orgId, keyId, model } = server;
  const key = keyId ? keyFor(orgId, { kind: "other", keyId, origin: originOf(server) }) : undefined;
  const request = SERVER_SHAPES[kind].toRequest({ picture: new Uint8Array(picture), key, model });
  const { response, text } = await send(server, request, signal);
  if (!response.ok) throw refusalOf(server, response, request.path);
  // Tika's answer if there is nothing to read.
  if (response.status === 204) return "";
  return readAnswer(server, response, text);
}
