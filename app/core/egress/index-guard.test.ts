import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnv } from "~/core/env.server";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { type EgressCall, resolveWithSystem } from "./connector.server";
import { createEgressGuard, type EgressGuard } from "./index.server";
import { parseEgressAllow } from "./policy.server";

let upstream: MockServer;
let guard: EgressGuard | undefined;

function open(allow: string[], names: Record<string, string[][]> = {}): EgressGuard["guardedFetch"] {
  const list = parseEgressAllow(allow);
  guard = createEgressGuard({
    allow: () => list,
    resolve: async (host) => {
      const answers = names[host];
      const next = answers && answers.length > 1 ? answers.shift() : answers?.[0];
      if (!next) return resolveWithSystem(host);
      return next.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  });
  return guard.guardedFetch;
}

beforeEach(async () => {
  setEnv({ LOG_LEVEL: "silent" });
  upstream = await startMockServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://mock");
    if (pathname === "/hello") response.setHeader("x-mock", "end").end("hello");
    else if (pathname === "/echo") response.end(`${request.method} ${request.text}`);
    else if (pathname === "/redirect") {
      response
        .writeHead(Number(searchParams.get("status") ?? 302), { location: searchParams.get("to") ?? "" })
        .end();
    } else if (pathname === "/endless") response.writeHead(302, { location: "/endless" }).end();
    else if (pathname === "/large") response.end("x".repeat(50_000));
    else if (pathname === "/stream") {
      response.writeHead(200).write("x".repeat(30_000));
      response.write("x".repeat(30_000));
    } else if (pathname === "/bomb") {
      response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(20_000_000)));
    } else if (pathname === "/packed") {
      response.setHeader("content-encoding", "gzip").end(gzipSync("unpacked"));
    } else if (pathname === "/broken") response.setHeader("content-encoding", "gzip").end("not gzip");
    else if (pathname === "/twice") response.setHeader("content-encoding", "gzip, gzip").end("?");
    else if (pathname === "/cut") {
      response.writeHead(200, { "content-length": "100" }).write("half");
      setImmediate(() => response.destroy());
    } else if (pathname === "/begin") response.writeHead(200).write("begun");
    else if (pathname === "/nothing") response.writeHead(204).end();
  });
});

afterEach(async () => {
  await guard?.close();
  await upstream.close();
  setEnv(undefined);
});

const here = () => `127.0.0.1:${upstream.port}`;

describe("allowed addresses", () => {
  it("refuses loopback, in words, before anything is sent", async () => {
    const fetch = open([])("test");
    await expect(fetch(`${upstream.origin}/hello`)).rejects.toMatchObject({
      code: "egress_refused",
      message: expect.stringMatching(
        /127\.0\.0\.1:?\d* was refused: it is a loopback address\. .*an owner can allow this one under Settings › System\.$/,
      ),
    });
    expect(upstream.connections()).toBe(0);
  });

  it.each([
    "http://2130706433",
    "http://0x7f000001",
    "http://0177.0.0.1",
    "http://127.1",
    "http://127.0.0.1.",
    "http://１２７.0.0.1",
    "http://%31%32%37.0.0.1",
    "http://localhost",
    "http://LOCALHOST",
    "http://[::ffff:127.0.0.1]",
    "http://[0:0:0:0:0:ffff:7f00:1]",
    "http://[::]",
    "http://0",
  ])("refuses the same address as %s", async (base) => {
    const fetch = open([])("test");
    await expect(fetch(`${base}:${upstream.port}/hello`)).rejects.toMatchObject({ code: "egress_refused" });
    expect(upstream.connections()).toBe(0);
  });

  it.each(["ftp://example.org/", "file:///etc/passwd", "data:text/plain,x", "http://u:p@example.org/"])(
    "refuses %s",
    async (url) => {
      await expect(open([])("test")(url)).rejects.toMatchObject({ code: "egress_refused" });
    },
  );

  it("records a refused address once, however it is sent", async () => {
    const calls: Omit<EgressCall, "at">[] = [];
    const { guardedFetch, guardedSend } = createEgressGuard({
      allow: () => parseEgressAllow(),
      resolve: resolveWithSystem,
      record: ({ error, ...call }) => calls.push(call),
    });
    const url = new URL("ftp://example.org/file");
    await expect(guardedFetch("fetch")(url)).rejects.toMatchObject({ code: "egress_refused" });
    const sending = guardedSend("send")({ url, method: "GET", headers: {} }, new AbortController().signal);
    await expect(sending).rejects.toMatchObject({ code: "egress_refused" });
    expect(calls).toMatchObject([
      { purpose: "fetch", method: "GET", host: "example.org", verdict: "refused" },
      { purpose: "send", method: "GET", host: "example.org", verdict: "refused" },
    ]);
  });

  it("allows addresses that the operator named", async () => {
    const response = await open([here()])("test")(`${upstream.origin}/hello`);
    expect(response.status).toBe(200);
    expect(response.headers.get("x-mock")).toBe("end");
    expect(response.url).toBe(`${upstream.origin}/hello`);
    expect(await response.text()).toBe("hello");
  });

  it("connects a named host to the address it checked and keeps its name in Host", async () => {
    const fetch = open([`intranet.example:${upstream.port}`], { "intranet.example": [["127.0.0.1"]] })(
      "test",
    );
    await fetch(`http://intranet.example:${upstream.port}/hello`);
    expect(upstream.requests[0]?.headers.host).toBe(`intranet.example:${upstream.port}`);
  });

  it("refuses a name when any of its addresses is private", async () => {
    const fetch = open([], { "both.example": [["93.184.216.34", "127.0.0.1"]] })("test");
    await expect(fetch(`http://both.example:${upstream.port}/hello`)).rejects.toMatchObject({
      code: "egress_refused",
      message: expect.stringContaining("it resolves to 127.0.0.1, which is a loopback address"),
    });
  });

  it("checks every resolution, so that a name that turns to a private address gets nowhere", async () => {
    const names = { "turning.example": [["10.255.255.1"], ["127.0.0.1"]] };
    const fetch = open(["10.0.0.0/8"], names)("test", { timeoutMs: 150 });
    await expect(fetch(`http://turning.example:${upstream.port}/hello`)).rejects.toThrow();
    await expect(fetch(`http://turning.example:${upstream.port}/hello`)).rejects.toMatchObject({
      code: "egress_refused",
    });
    expect(upstream.connections()).toBe(0);
  });

  it("reads no second resolution for a connection", async () => {
    const names = { "once.example": [["127.0.0.1"], ["169.254.169.254"]] };
    const fetch = open(["once.example"], names)("test");
    expect(await (await fetch(`http://once.example:${upstream.port}/hello`)).text()).toBe("hello");
  });

  it("keeps metadata closed to a name on the list and to an admin's base address", async () => {
    const names = { "meta.example": [["169.254.169.254"]] };
    const fetch = open(["meta.example", "0.0.0.0/0"], names);
    for (const url of ["http://meta.example/", "http://169.254.169.254/latest", "http://[fd00:ec2::254]/"]) {
      await expect(fetch("test", { allowOrigins: [url] })(url)).rejects.toMatchObject({
        code: "egress_refused",
        message: expect.stringContaining("never allowed"),
      });
    }
  });

  it("allows an admin's private base URL for calls that name it", async () => {
    const fetch = open([]);
    const allowed = fetch("provider", { allowOrigins: [`${upstream.origin}/v1`] });
    expect((await allowed(`${upstream.origin}/hello`)).status).toBe(200);
    await expect(fetch("tool")(`${upstream.origin}/hello`)).rejects.toMatchObject({ code: "egress_refused" });
    const other = fetch("provider", { allowOrigins: ["http://127.0.0.1:1"] });
    await expect(other(`${upstream.origin}/hello`)).rejects.toMatchObject({ code: "egress_refused" });
  });

  it("uses a connection again", async () => {
    const fetch = open([here()])("test");
    for (let n = 0; n < 10; n++) await (await fetch(`${upstream.origin}/hello`)).text();
    // A new request may start just before the previous connection is returned to the pool.
    expect(upstream.connections()).toBeLessThan(4);
  });

  it("opens as many connections as there are streams", async () => {
    const fetch = open([here()])("test");
    const responses = await Promise.all(Array.from({ length: 40 }, () => fetch(`${upstream.origin}/begin`)));
    expect(upstream.connections()).toBe(40);
    await Promise.all(responses.map((response) => response.body?.cancel()));
  });

  it("sends every kind of body, and takes a response without one", async () => {
    const fetch = open([here()])("test");
    const send = async (body: BodyInit, init: RequestInit = {}) =>
      (await fetch(`${upstream.origin}/echo`, { method: "POST", body, ...init })).text();
    expect(await send("text")).toBe("POST text");
    expect(await send(new URLSearchParams({ a: "1" }))).toBe("POST a=1");
    expect(await send(new TextEncoder().encode("bytes"))).toBe("POST bytes");
    const stream = new Response("streamed").body;
    if (stream) expect(await send(stream, { duplex: "half" } as RequestInit)).toBe("POST streamed");
    const request = new Request(`${upstream.origin}/echo`, { method: "PUT", body: "asked" });
    expect(await (await fetch(request)).text()).toBe("PUT asked");
    expect((await fetch(`${upstream.origin}/nothing`)).status).toBe(204);
    expect(upstream.requests[1]?.headers["content-type"]).toContain("application/x-www-form-urlencoded");
  });
});

describe("redirects", () => {
  const via = (to: string, status = 302) =>
    `${upstream.origin}/redirect?status=${status}&to=${encodeURIComponent(to)}`;

  it("are followed and reported", async () => {
    const response = await open([here()])("test")(via("/hello"));
    expect([await response.text(), response.redirected, response.url]).toEqual([
      "hello",
      true,
      `${upstream.origin}/hello`,
    ]);
  });

  it("into a private network are refused", async () => {
    const fetch = open([`public.example:${upstream.port}`], { "public.example": [["127.0.0.1"]] })("test");
    const start = via(`${upstream.origin}/hello`).replace("127.0.0.1", "public.example");
    await expect(fetch(start)).rejects.toMatchObject({ code: "egress_refused" });
    expect(upstream.requests).toHaveLength(1);
  });

  it.each(["file:///etc/passwd", "http://user@127.0.0.1/", "http://169.254.169.254/"])(
    "to %s are refused",
    async (to) => {
      await expect(open([here()])("test")(via(to))).rejects.toMatchObject({ code: "egress_refused" });
    },
  );

  it("end after five", async () => {
    await expect(open([here()])("test")(`${upstream.origin}/endless`)).rejects.toMatchObject({
      message: expect.stringContaining("redirects too many times"),
      permanent: true,
    });
    expect(upstream.requests).toHaveLength(6);
  });

  it("drop credentials and named secrets when the origin changes, and keep them when it doesn't", async () => {
    const fetch = open([here(), `other.example:${upstream.port}`], { "other.example": [["127.0.0.1"]] });
    const secret = {
      authorization: "Bearer s",
      cookie: "a=b",
      "x-api-key": "s",
      "x-goog-api-key": "s",
      "x-own": "s",
    };
    const headers = { ...secret, "x-plain": "kept" };
    const send = (to: string) => fetch("test", { secretHeaders: ["X-Own"] })(via(to), { headers });
    await send("/hello");
    expect(upstream.requests[1]?.headers).toMatchObject(headers);
    await send(`http://other.example:${upstream.port}/hello`);
    const seen = upstream.requests[3]?.headers ?? {};
    expect(seen["x-plain"]).toBe("kept");
    for (const name of Object.keys(secret)) expect(seen[name]).toBeUndefined();
  });

  it.each([
    [301, "POST", "GET "],
    [302, "POST", "GET "],
    [303, "PUT", "GET "],
    [302, "PUT", "PUT body"],
    [307, "POST", "POST body"],
    [308, "POST", "POST body"],
  ])("with %i turn %s into %s", async (status, method, seen) => {
    const response = await open([here()])("test")(via("/echo", status), { method, body: "body" });
    expect(await response.text()).toBe(seen);
  });

  it("can't repeat a streamed body", async () => {
    const { body } = new Response("once");
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    await expect(open([here()])("test")(via("/echo", 307), init)).rejects.toThrow("can't be sent again");
  });

  it("are handed over or refused when the caller asks for it", async () => {
    const fetch = open([here()])("test");
    expect((await fetch(via("/hello"), { redirect: "manual" })).status).toBe(302);
    await expect(fetch(via("/hello"), { redirect: "error" })).rejects.toThrow("isn't allowed");
  });
});

describe("limits", () => {
  it("stop an announced body before it is read", async () => {
    const fetch = open([here()])("test", { maxBytes: 1000 });
    await expect(fetch(`${upstream.origin}/large`)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("larger than 1 kB"),
    });
  });

  it("stop a streamed body", async () => {
    const response = await open([here()])("test", { maxBytes: 40_000 })(`${upstream.origin}/stream`);
    await expect(response.text()).rejects.toMatchObject({ code: "too_large" });
  });

  it("count after decompression", async () => {
    const fetch = open([here()])("test", { maxBytes: 1_000_000 });
    await expect(fetch(`${upstream.origin}/bomb`).then((response) => response.text())).rejects.toMatchObject({
      code: "too_large",
    });
    expect(await (await fetch(`${upstream.origin}/packed`)).text()).toBe("unpacked");
    await expect(fetch(`${upstream.origin}/broken`).then((response) => response.text())).rejects.toThrow(
      "decompressed",
    );
    await expect(fetch(`${upstream.origin}/twice`)).rejects.toThrow("encoding");
  });

  it("end a silence, before and within the response", async () => {
    const fetch = open([here()])("test", { silenceMs: 200 });
    await expect(fetch(`${upstream.origin}/never`)).rejects.toMatchObject({
      code: "provider_timeout",
      message: expect.stringContaining("sent no data for 0.2 seconds"),
    });
    const begun = await fetch(`${upstream.origin}/begin`);
    await expect(begun.text()).rejects.toMatchObject({ code: "provider_timeout" });
  });

  it("end an exchange that takes too long", async () => {
    const fetch = open([here()])("test", { timeoutMs: 100 });
    await expect(fetch(`${upstream.origin}/never`)).rejects.toThrow(
      "did not complete its response within 0.1 seconds",
    );
    const begun = await fetch(`${upstream.origin}/begin`);
    await expect(begun.text()).rejects.toMatchObject({ code: "provider_timeout" });
  });

  it("obey the caller's signal with its reason", async () => {
    const fetch = open([here()])("test");
    await expect(fetch(`${upstream.origin}/hello`, { signal: AbortSignal.abort("why") })).rejects.toBe("why");
    const early = new AbortController();
    const waiting = fetch(`${upstream.origin}/never`, { signal: early.signal });
    early.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    const late = new AbortController();
    const begun = await fetch(`${upstream.origin}/begin`, { signal: late.signal });
    late.abort();
    await expect(begun.text()).rejects.toMatchObject({ name: "AbortError" });
  });

  it("distinguish a failed connection from a truncated response", async () => {
    const fetch = open([here(), "127.0.0.1:1", "nowhere.invalid"])("test");
    await expect(fetch("http://127.0.0.1:1/")).rejects.toMatchObject({
      code: "provider_unavailable",
      message: "127.0.0.1:1 could not be reached: it refused the connection.",
      permanent: false,
    });
    await expect(fetch(`https://${here()}/`)).rejects.toMatchObject({
      code: "provider_unavailable",
      message: expect.stringContaining("an invalid HTTPS response"),
      permanent: true,
    });
    const response = await fetch(`${upstream.origin}/cut`);
    await expect(response.text()).rejects.toMatchObject({
      code: "provider_unavailable",
      message: expect.stringContaining("was lost"),
    });
  });
});
