import { z } from "zod";
import { decodeText } from "~/core/charset";
import { CONNECTION_HEADERS, guardedFetch } from "~/core/egress/index.server";
import { authorise } from "~/platform/rights/authorization.server";
import { boundText, OUTPUT_LIMIT, readStart, TEXT_LIMIT } from "./output-bounds.shared";
import type { Tool } from "./tool.shared";
import { ToolAddress } from "./tools.schema";

const TIMEOUT = 30_000;
const BODY_LIMIT = 1_000_000;
const READ_LIMIT = 500_000;
/** A token of HTTP (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Tunnels and echoes; fetch refuses them as well. */
const REFUSED_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

const Input = z.object({
  method: z
    .string()
    .trim()
    .max(20)
    .regex(TOKEN, "Enter an HTTP method such as GET")
    .transform((method) => method.toUpperCase())
    .refine((method) => !REFUSED_METHODS.has(method), "Use another HTTP method")
    .default("GET")
    .describe("HTTP method, such as GET, POST, PUT, PATCH or DELETE; GET by default"),
  url: ToolAddress,
  headers: z
    .record(
      z.string().max(100).regex(TOKEN, "Use a valid header name"),
      z
        .string()
        .max(8000)
        .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "Use a valid header value"),
    )
    .refine((headers) => Object.keys(headers).length <= 40, "Use at most 40 headers")
    .superRefine((headers, context) => {
      for (const name of Object.keys(headers)) {
        if (!CONNECTION_HEADERS.has(name.toLowerCase())) continue;
        context.addIssue({
          code: "custom",
          path: [name],
          message: "Remove this header: it is set by the connection",
        });
      }
    })
    .optional()
    .describe("Request headers by name"),
  body: z
    .string()
    .max(BODY_LIMIT, "Use at most 1,000,000 characters in the body")
    .optional()
    .describe("Request body as text; write JSON out and set content-type"),
});

/** Without cookies. */
const REPORTED_HEADERS = [
  "allow",
  "cache-control",
  "content-disposition",
  "content-language",
  "content-length",
  "content-location",
  "content-type",
  "date",
  "etag",
  "expires",
  "last-modified",
  "link",
  "location",
  "retry-after",
  "www-authenticate",
];

/** Other headers may be secrets and are dropped on redirects to another origin. */
const HARMLESS = new Set(["accept", "accept-language", "content-type", "user-agent"]);

function reportedHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    REPORTED_HEADERS.flatMap((name) => {
      const value = headers.get(name);
      return value ? [[name, value.slice(0, 1000)]] : [];
    }),
  );
}

function isBinary(bytes: Uint8Array, contentType: string): boolean {
  return (
    /^(?:image\/(?!svg)|audio|video|font|application\/(?:pdf|zip|gzip))/i.test(contentType) ||
    bytes.includes(0)
  );
}

export const httpRequest: Tool<typeof Input> = {
  name: "http.request",
  title: "Send an HTTP request",
  description:
    `Sends an HTTP request with any method, headers and text body to a public address, follows up to 5
redirects, and returns the status, headers and raw response text, at most ${TEXT_LIMIT} characters. Use it for
APIs; to read a page use web.fetch.`.replaceAll("\n", " "),
  effect: "outside",
  onlyFetches: (input) => input?.method === "GET" && input.body === undefined,
  input: Input,
  timeoutMs: TIMEOUT,
  outputLimit: OUTPUT_LIMIT,
  async run({ method, url, headers = {}, body }, { actor, signal }) {
    authorise(actor, "chat.use");
    const fetch = guardedFetch("tool:http.request", {
      timeoutMs: TIMEOUT,
      maxBytes: 50_000_000,
      sendsTrace: true,
      secretHeaders: Object.keys(headers).filter((name) => !HARMLESS.has(name.toLowerCase())),
    });
    const response = await fetch(url, { method, headers, body: body ?? null, signal });
    const { bytes, cut } = await readStart(response, READ_LIMIT);
    const contentType = response.headers.get("content-type") ?? "";
    const result = {
      url: response.url,
      status: response.status,
      statusText: response.statusText.slice(0, 200),
      headers: reportedHeaders(response.headers),
    };
    if (isBinary(bytes, contentType)) return { ...result, text: "[Binary data, not shown]", truncated: true };
    const { text, truncated } = boundText(decodeText(bytes, contentType));
    return { ...result, text, truncated: truncated || cut };
  },
};
