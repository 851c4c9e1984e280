import { decodeText } from "~/core/charset";
import { guardedFetch } from "~/core/egress/index.server";
import type { StepServices } from "../steps/step-type";

type Call = Omit<Parameters<StepServices["request"]>[0], "key">;
type Answer = Awaited<ReturnType<StepServices["request"]>>;

/** Other headers may be secrets and are dropped on redirects to another origin. */
const HARMLESS = new Set(["accept", "accept-language", "content-type", "user-agent", "idempotency-key"]);
/** In characters. */
const HEADER_LENGTH = 4000;

function isBinary(bytes: Uint8Array, contentType: string): boolean {
  return (
    /^(?:image\/(?!svg)|audio|video|font|application\/(?:pdf|zip|gzip|octet-stream))/i.test(contentType) ||
    bytes.subarray(0, 10_000).includes(0)
  );
}

/** @throws AppError; the signal's reason */
export async function sendRequest(
  { method, url, headers, body, maxBytes }: Call,
  signal: AbortSignal,
  /** Dropped on redirects to another origin. */
  secret?: string,
): Promise<Answer> {
  const fetch = guardedFetch("workflow", {
    // The step has its own time limit.
    timeoutMs: 0,
    maxBytes,
    secretHeaders: Object.keys(headers).filter(
      (name) => name === secret || !HARMLESS.has(name.toLowerCase()),
    ),
  });
  const response = await fetch(url, { method, headers, body: body ?? null, signal });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const contentType = response.headers.get("content-type") ?? "";
  const responseHeaders = [...response.headers].filter(([name]) => name !== "set-cookie");
  return {
    status: response.status,
    headers: Object.fromEntries(
      responseHeaders.map(([name, value]) => [name, value.slice(0, HEADER_LENGTH)]),
    ),
    body: isBinary(bytes, contentType)
      ? `[Binary data, ${bytes.length.toLocaleString("en-US")} bytes]`
      : decodeText(bytes, contentType),
  };
}

const HIDDEN = "[key]";

/** Removes the key from the response, which is journaled: some servers echo headers. */
export async function sendWithKey(
  call: Call,
  key: { header: string; prefix: string; value: string },
  signal: AbortSignal,
): Promise<Answer> {
  const name = key.header.toLowerCase();
  const others = Object.entries(call.headers).filter(([header]) => header.toLowerCase() !== name);
  const headers = { ...Object.fromEntries(others), [key.header]: `${key.prefix}${key.value}` };
  const answer = await sendRequest({ ...call, headers }, signal, key.header);
  const hide = (text: string) => text.replaceAll(key.value, HIDDEN);
  return {
    status: answer.status,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([header, value]) => [header, hide(value)]),
    ),
    body: hide(answer.body),
  };
}
