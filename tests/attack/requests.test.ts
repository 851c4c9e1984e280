import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Role } from "~/core/actor";
import {
  type AttackedServer,
  expectCheap,
  inGroups,
  isWholeMatrix,
  PAGE_MS,
  startAttacked,
  TURN_MS,
  targetsOf,
} from "../support/attack";
import type { Ask } from "../support/server";
import { readSitemap } from "../support/sitemap";

const ASKERS: (Role | undefined)[] = isWholeMatrix ? [undefined, "viewer", "member", "owner"] : ["member"];
const UNSAFE = ["post", "put", "patch", "delete"];

const BODIES: [what: string, body: BodyInit][] = [
  ["deep lists", "[".repeat(900_000)],
  ["deep objects", '{"a":'.repeat(150_000)],
  ["a hundred thousand values", `[${"0,".repeat(100_000)}0]`],
  ["a hundred thousand keys", `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":0`).join()}}`],
  ["a prototype", '{"__proto__":{"role":"owner"},"constructor":{"prototype":{"role":"owner"}}}'],
  ["a number of many digits", `{"limit":${"9".repeat(900_000)}}`],
  [
    "a long text in each usual field",
    JSON.stringify(
      Object.fromEntries(
        ["name", "text", "query", "url", "id", "title", "model", "email"].map((key) => [
          key,
          "é ".repeat(30_000),
        ]),
      ),
    ),
  ],
  ["bytes that are no text", new Uint8Array(100_000).fill(0xff)],
  ["escapes without an end", `"${"\\".repeat(900_000)}`],
];

const LONG = "a".repeat(4000);
const QUERIES: [what: string, query: string][] = [
  ["a thousand parameters", Array.from({ length: 1000 }, (_, i) => `p${i}=1`).join("&")],
  ["brackets", "limit[4294967294]=1&__proto__[a]=b"],
  [
    "operators",
    `q=${encodeURIComponent('" OR * NEAR( AND ^'.repeat(100))}&search=${"%25_".repeat(500)}&find=${LONG}`,
  ],
  ["a NUL", "q=a%00bc&search=a%00bc&find=a%00bc"],
  ["a route of a former protocol", "_data=routes%2Frag%2Fpage"],
  ["numbers beyond numbers", "limit=1e999&offset=-1&page=99999999999999999999&cursor=%00%ff"],
  [
    "a broken cursor",
    `cursor=${LONG}&sort=__proto__&order=constructor&tab=../../etc&dialog=toString&id=__proto__`,
  ],
];

const HEADERS: [what: string, headers: Record<string, string>][] = [
  ["thousands of cookies", { cookie: "qd_session=x; a=;=b;;".repeat(600) }],
  ["a long token", { authorization: `Bearer ${"x".repeat(12_000)}` }],
  ["spaces before a token", { authorization: `Bearer${" ".repeat(12_000)}x y` }],
  ["a token that is none", { authorization: "Basic eDp4" }],
  ["ranges", { range: `bytes=${"0-1,".repeat(2500)}0-1` }],
  ["languages and types", { accept: "a/b;q=0.1,".repeat(1000), "accept-language": "x,".repeat(2000) }],
  ["encodings", { "accept-encoding": "br,gzip;q=0,".repeat(1000) }],
  ["a time that is none", { "if-modified-since": "x".repeat(10_000), "if-none-match": '"x",'.repeat(2000) }],
  ["an event id that is none", { "last-event-id": "9".repeat(10_000) }],
];

let attacked: AttackedServer;
/** The gateway takes tokens alone. */
let token: string;
let pages: string[];
let calls: { method: string; path: string }[];
beforeAll(async () => {
  attacked = await startAttacked();
  token = await attacked.server.createToken("member");
  const fill = (path: string) => path.replace(/\{\w+\}\??/g, "unknown");
  const sitemap = await readSitemap();
  pages = sitemap
    .filter(({ methods, path }) => methods.includes("GET") && !path.includes("*"))
    .map(({ path }) => fill(path));
  const openApi = await attacked.server.ask("/api/openapi.json");
  const { paths } = (await openApi.json()) as { paths: Record<string, Record<string, unknown>> };
  calls = Object.entries(paths).flatMap(([path, operations]) =>
    UNSAFE.filter((method) => method in operations).map((method) => ({
      method: method.toUpperCase(),
      path: fill(path),
    })),
  );
  expect(calls.length).toBeGreaterThan(40);
});
afterAll(() => attacked.server.close());

/** Sends a request, and leaves a stream once it has begun. @returns the status */
async function send(path: string, options: Ask): Promise<number> {
  const leaving = new AbortController();
  const { as, ...others } = options;
  const asker = path.startsWith("/v1/") && as ? { token } : as ? { as } : {};
  const response = await attacked.server.ask(path, { ...others, ...asker, signal: leaving.signal });
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) leaving.abort();
  else await response.arrayBuffer();
  return response.status;
}

const numbered = <Value>(attacks: [what: string, value: Value][]) =>
  attacks.map(([what, value], n): [string, Value, number] => [what, value, n]);

type Sent = readonly [path: string, options: Ask];

async function attack(sent: readonly Sent[], limit: number): Promise<void> {
  const attacks = sent.map(([path, options]) => ({
    what: `${options.method ?? "GET"} ${path} of ${options.as ?? "nobody"}`,
    send: () => send(path, options),
  }));
  for (const group of inGroups(attacks)) await expectCheap(attacked, group, limit);
}

describe.each(numbered(BODIES))("a body of %s", (_, body, n) => {
  it("gets a refusal from every API call and delays no other request", async () => {
    const headers = { "content-type": "application/json", origin: attacked.server.baseUrl };
    for (const as of ASKERS)
      await attack(
        targetsOf(calls, n).map(
          ({ method, path }): Sent => [path, { method, body, headers, ...(as ? { as } : {}) }],
        ),
        PAGE_MS,
      );
  });
});

describe.each(numbered(QUERIES))("a query of %s", (_, query, n) => {
  it("gets a response from every address within the time of a page", async () => {
    for (const as of ASKERS)
      await attack(
        targetsOf(pages, n).map((path): Sent => [`${path}?${query}`, as ? { as } : {}]),
        PAGE_MS,
      );
  });
});

describe.each(HEADERS)("headers with %s", (_, headers) => {
  it("get a response from a call and a page in time", async () => {
    const calls = ["/api/auth/user", "/api/rag/documents"];
    await attack(
      calls.map((path): Sent => [path, { headers, method: "GET" }]),
      TURN_MS,
    );
    const pages = ["/login?local=1", "/chat", "/chat.data"];
    await attack(
      pages.map((path): Sent => [path, { headers }]),
      PAGE_MS,
    );
  });
});
