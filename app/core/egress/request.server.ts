import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { AppError } from "../errors";
import { EgressRefusal } from "./errors.server";
import type { ExchangeRequest } from "./exchange.server";

/** Default user agent. It names no product because of custom branding. */
export const USER_AGENT = "AIConsole/1.0";

export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

type FetchInput = Parameters<typeof fetch>[0];
type FetchInit = Parameters<typeof fetch>[1];

function parseUrl(input: FetchInput): URL {
  const text = input instanceof URL ? input.href : typeof input === "string" ? input : input.url;
  if (!URL.canParse(text))
    throw new AppError("invalid", "Enter a complete address, such as https://example.com.");
  return new URL(text);
}

/** @throws EgressRefusal for another scheme than http and https, and for a user name or password in the address */
export function checkUrl(url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new EgressRefusal(url.host, `only http and https are allowed, not ${url.protocol.slice(0, -1)}`);
  }
  if (url.username || url.password) {
    throw new EgressRefusal(url.host, "the address must not contain a user name or password");
  }
}

/** Converts a body for undici. Only streams can't be sent again. */
async function readBody(
  body: BodyInit | null | undefined,
): Promise<{ body: ExchangeRequest["body"]; type?: string | null }> {
  if (body == null) return { body: null };
  if (typeof body === "string") return { body, type: "text/plain;charset=UTF-8" };
  if (body instanceof ReadableStream) return { body: Readable.fromWeb(body as NodeReadableStream) };
  const wrapped = new Response(body);
  return { body: new Uint8Array(await wrapped.arrayBuffer()), type: wrapped.headers.get("content-type") };
}

/** Normalizes fetch's arguments; the only place that parses the URL. */
export async function readRequest(input: FetchInput, init: FetchInit = {}): Promise<ExchangeRequest> {
  const url = parseUrl(input);
  checkUrl(url);
  const from = input instanceof Request ? input : undefined;
  const method = (init.method ?? from?.method ?? "GET").toUpperCase();
  const headers = new Headers(init.headers ?? from?.headers);
  const { body, type } = await readBody(init.body ?? (from?.body ? await from.arrayBuffer() : null));
  for (const name of CONNECTION_HEADERS) headers.delete(name);
  if (type && !headers.has("content-type")) headers.set("content-type", type);
  if (!headers.has("accept")) headers.set("accept", "*/*");
  if (!headers.has("user-agent")) headers.set("user-agent", USER_AGENT);
  // Streamed responses stay uncompressed: a decoder would hold memory for their whole duration.
  if (!headers.has("accept-encoding")) {
    headers.set("accept-encoding", method === "GET" ? "gzip, deflate, br" : "identity");
  }
  return { url, method, headers, body };
}
