import { z } from "zod";
import { AppError } from "~/core/errors";
import { isJsonType, parseExactJson } from "~/core/parse";
import { parseWellFormed } from "~/core/well-formed";
import { asText, choice, fileIds, text, toggle } from "./step-config";
import { defineStep, filesField, type Json } from "./step-type";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
const HARMLESS = new Set<string>(["GET", "HEAD", "OPTIONS"]);
/** In bytes. */
const MAX_BYTES = 5_000_000;
const MAX_HEADERS = 40;
/** A token of HTTP (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8000}$/;
/** Set by the connection. */
const CONNECTION = new Set(
  "connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

function headerLines(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(asText);
  // As it is in the journal, from which a person may edit it.
  if (typeof value === "object" && value !== null)
    return Object.entries(value).map(([name, content]) => `${name}: ${asText(content)}`);
  return asText(value).split(/\r?\n/);
}

/** Per line: a line break within a value is refused. */
function readHeaders(value: unknown, context: z.RefinementCtx): Record<string, string> {
  const lines = headerLines(value);
  const headers: Record<string, string> = {};
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  for (const line of lines) {
    if (line.trim() === "") continue;
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim();
    const content = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "");
    if (/[\r\n]/.test(line))
      refuse(`The header ${TOKEN.test(name) ? name : ""} has a line break in its value`);
    else if (colon < 1 || !TOKEN.test(name))
      refuse(`Write one header per line, such as "Accept: application/json"`);
    else if (!VALUE.test(content)) refuse(`The header ${name} has characters that can't be sent`);
    else if (CONNECTION.has(name.toLowerCase()))
      refuse(`Remove the header ${name}: it is set by the connection`);
    else headers[name] = content;
  }
  if (Object.keys(headers).length > MAX_HEADERS) refuse(`Use at most ${MAX_HEADERS} headers`);
  return headers;
}

const hasHeader = (headers: Record<string, string>, name: string) =>
  Object.keys(headers).some((one) => one.toLowerCase() === name);

function isJson(body: string): boolean {
  try {
    const value: unknown = parseWellFormed(body);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

/** Parsed JSON within limits, else text. */
function readBody(body: string, contentType: string): Json {
  if (!isJsonType(contentType)) return body;
  try {
    return parseExactJson(body) as Json;
  } catch {
    return body;
  }
}

function failure(host: string, status: number, body: string, retryAfter: string | undefined): AppError {
  const passing = status === 408 || status === 425 || status === 429 || status >= 500;
  const seconds = Number(retryAfter);
  const excerpt = body.trim().slice(0, 200);
  return new AppError(
    passing ? "provider_unavailable" : "provider_rejected",
    `${host} returned HTTP ${status}${excerpt ? `: ${excerpt}` : "."}`,
    { permanent: !passing, ...(seconds > 0 && seconds < 3600 ? { retryAfter: seconds } : {}) },
  );
}

export const httpRequest = defineStep({
  type: "http_request",
  label: "HTTP Request",
  description: "Call an address and use its answer.",
  category: "Actions",
  node: "action",
  icon: "Globe",
  defaults: {
    method: "GET",
    url: "",
    headers: "",
    key: "",
    keyHeader: "Authorization",
    keyPrefix: "Bearer",
    body: "",
    bodyFile: "",
    keepFile: false,
    failOnStatus: true,
  },
  config: z.object({
    method: choice(METHODS, "GET"),
    url: text(4000)
      .transform((url) => url.trim())
      .refine((url) => /^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url), {
        error: "Enter a complete address, such as https://example.com/api",
      })
      .refine((url) => !URL.canParse(url) || (!new URL(url).username && !new URL(url).password), {
        error: "Remove the user name and password from the address",
      }),
    headers: z.unknown().transform(readHeaders).default({}),
    key: text(64),
    keyHeader: text(100)
      .transform((name) => name.trim() || "Authorization")
      .refine((name) => TOKEN.test(name) && !CONNECTION.has(name.toLowerCase()), {
        error: "Enter the name of a header, such as Authorization",
      }),
    keyPrefix: choice(["", "Bearer", "Token"], ""),
    body: text(),
    bodyFile: fileIds(1),
    keepFile: toggle(false),
    failOnStatus: toggle(true),
  }),
  fields: [
    {
      name: "method",
      label: "Method",
      control: { kind: "select", options: METHODS.map((value) => ({ value, label: value })) },
    },
    { name: "url", label: "URL", control: { kind: "text" } },
    {
      name: "headers",
      label: "Headers",
      hint: "Write one per line, such as: Accept: application/json",
      control: { kind: "textarea" },
      language: "lines",
      isPrivate: true,
    },
    {
      name: "key",
      label: "Key",
      hint: "Choose a key reference of kind Other. Its value is sent to its own address only and is never stored.",
      control: { kind: "key" },
    },
    {
      name: "keyHeader",
      label: "Key header",
      hint: "Name the header that holds the key. Leave blank to use Authorization.",
      control: { kind: "text" },
      language: "none",
    },
    {
      name: "keyPrefix",
      label: "Key prefix",
      hint: "Choose the prefix that the server expects.",
      control: {
        kind: "select",
        options: [
          { value: "Bearer", label: "Bearer" },
          { value: "Token", label: "Token" },
          { value: "", label: "Nothing" },
        ],
      },
    },
    {
      name: "body",
      label: "Body",
      hint: "Use {{ json(trigger) }} to send a value as JSON. GET and HEAD send none.",
      control: { kind: "textarea" },
    },
    filesField("bodyFile", "File as body", "Sends a step's file in place of the body."),
    {
      name: "keepFile",
      label: "Keep as file",
      hint: "Stores an answer that isn't text with the run, for later steps.",
      control: { kind: "switch" },
    },
    { name: "failOnStatus", label: "Fail on status 400 and above", control: { kind: "switch" } },
  ],
  outputs: {
    status: "Status code",
    headers: "Headers by their lower-case names",
    body: "Body; a JSON body as its value",
    files: "With Keep as file, a body that isn't text",
  },
  repeatable: ({ method }) => HARMLESS.has(method),
  timeoutMs: 60_000,
  async run({ config, services, idempotencyKey }) {
    const { method, url, body, bodyFile, keepFile, key, keyHeader, keyPrefix, failOnStatus } = config;
    const headers = { ...config.headers };
    if (!hasHeader(headers, "idempotency-key")) headers["Idempotency-Key"] = idempotencyKey;
    const [file] = bodyFile;
    const sends = (body !== "" || file !== undefined) && method !== "GET" && method !== "HEAD";
    // A file has its own type.
    if (sends && file === undefined && !hasHeader(headers, "content-type"))
      headers["Content-Type"] = isJson(body) ? "application/json" : "text/plain; charset=utf-8";
    const answer = await services.request({
      method,
      url,
      headers,
      maxBytes: MAX_BYTES,
      ...(keepFile ? { keepsFile: true } : {}),
      ...(key ? { key: { id: key, header: keyHeader, prefix: keyPrefix && `${keyPrefix} ` } } : {}),
      ...(sends ? (file === undefined ? { body } : { bodyFile: file }) : {}),
    });
    if (failOnStatus && answer.status >= 400)
      throw failure(new URL(url).host, answer.status, answer.body, answer.headers["retry-after"]);
    const content = readBody(answer.body, answer.headers["content-type"] ?? "");
    const { status, headers: received, file: kept } = answer;
    return { output: { status, headers: received, body: content, ...(kept && { files: [{ ...kept }] }) } };
  },
});
