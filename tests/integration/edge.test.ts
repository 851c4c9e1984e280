import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const problem = async (response: Response) => (await response.json()) as Record<string, unknown>;

describe("methods", () => {
  it("HEAD answers like GET, without a body", async () => {
    const get = await server.ask("/api/health");
    const head = await server.ask("/api/health", { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    expect(await head.text()).toBe("");
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"])(
    "%s where it isn't offered is 405 and names what is",
    async (method) => {
      const response = await server.ask("/api/audit", { method, as: "owner" });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("GET, HEAD");
      expect(await problem(response)).toMatchObject({ status: 405, code: "method_not_allowed" });
    },
  );
});

describe("problems", () => {
  it("come as problem+json with the request ID", async () => {
    const response = await server.ask("/api/audit");
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="API"');
    expect(await problem(response)).toEqual({
      type: "about:blank",
      title: "Signed out",
      status: 401,
      code: "unauthenticated",
      detail: "You are signed out. Sign in and try again.",
      requestId: response.headers.get("x-request-id"),
    });
  });

  it("name each invalid field", async () => {
    const response = await server.ask("/api/audit?limit=100000", { as: "admin" });
    expect(response.status).toBe(400);
    expect(await problem(response)).toMatchObject({
      code: "invalid",
      errors: { limit: [expect.any(String)] },
    });
  });

  it.each(["/api/nothing", "/api/nothing/at/all", "/api/"])("%s is not found in JSON", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const response = await server.ask(path, { method });
      expect([method, response.status]).toEqual([method, 404]);
      expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    }
  });
});

describe("addresses", () => {
  it("of missing assets return 404", async () => {
    const response = await server.ask("/assets/gone-1234.js");
    expect(response.status).toBe(404);
    expect(await problem(response)).toMatchObject({ code: "not_found" });
  });

  it.each(["/%E0%A4%A", "/assets/%E0%A4%A", "/api/%E0%A4%A"])(
    "that can't be decoded are 400: %s",
    async (path) => {
      const response = await server.ask(path);
      expect(response.status).toBe(400);
      expect(await problem(response)).toMatchObject({ code: "invalid" });
    },
  );
});

describe("assets", () => {
  const ask = (path: string, accepted: string) =>
    server.ask(path, { headers: { "accept-encoding": accepted } });

  it("come compressed by the build, without the headers of documents", async () => {
    const page = await (await server.ask("/login?local=1", { headers: { accept: "text/html" } })).text();
    const style = /href="(\/assets\/[^"]+\.css)"/.exec(page)?.[1] ?? "";
    const plain = await ask(style, "identity");
    const content = await plain.text();
    for (const [accepted, encoding] of [
      ["gzip, deflate, br", "br"],
      ["gzip", "gzip"],
      ["br;q=0, gzip", "gzip"],
      ["br ; q=0, *", "gzip"],
    ] as const) {
      const response = await ask(style, accepted);
      expect(response.headers.get("content-encoding")).toBe(encoding);
      expect(response.headers.get("content-type")).toMatch(/^text\/css/);
      expect(response.headers.get("vary")).toMatch(/accept-encoding/i);
      expect(await response.text()).toBe(content);
    }
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("x-content-type-options")).toBe("nosniff");
    for (const name of ["content-security-policy", "x-frame-options", "referrer-policy"])
      expect([name, plain.headers.get(name)]).toEqual([name, null]);
  });
});

describe("bodies", () => {
  const personas = (body: BodyInit, type = "application/json") =>
    server.ask("/api/personas", { method: "POST", as: "member", body, headers: { "content-type": type } });

  it("of another type than JSON get 415", async () => {
    expect((await personas("name=x", "application/x-www-form-urlencoded")).status).toBe(415);
    expect((await personas("{}", "text/plain")).status).toBe(415);
  });

  it.each([
    ["broken JSON", "{", "The body is not valid JSON."],
    ["nothing", "", "The body is not valid JSON."],
    ["a bomb of brackets", "[".repeat(500_000), "The JSON nests deeper than 64 levels."],
    ["a deep object", `${'{"a":'.repeat(65)}1${"}".repeat(65)}`, "The JSON nests deeper than 64 levels."],
  ])("with %s are 400", async (_, body, detail) => {
    const response = await personas(body);
    expect(response.status).toBe(400);
    expect(await problem(response)).toMatchObject({ detail });
  });

  it("without valid UTF-8 get 400", async () => {
    expect((await personas(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400);
  });

  it("over 1 MB get 413", async () => {
    const response = await personas(JSON.stringify({ name: "x".repeat(1024 * 1024) }));
    expect(response.status).toBe(413);
    expect(await problem(response)).toMatchObject({ code: "too_large" });
  });

  it("over 10 MB get 413 where only files may be larger", async () => {
    const path = "/api/rag/documents/doc_none/versions";
    const response = await server.ask(path, { as: "member", json: { text: "x".repeat(10 * 1024 * 1024) } });
    expect(response.status).toBe(413);
  });

  it("over 1 MB get 413 where only multipart texts may be longer", async () => {
    const form = { intent: "ingest-text", text: "x".repeat(1024 * 1024) };
    const headers = { accept: "text/html" };
    const response = await server.ask("/rag", { as: "member", form, headers });
    expect(response.status).toBe(413);
  });

  it("over the limit of a screen's form get a page after the upload", async () => {
    const body = new FormData();
    body.set("text", "x".repeat(11 * 1024 * 1024));
    const headers = { accept: "text/html,*/*" };
    const response = await server.ask("/rag?dialog=ingest&tab=text", { as: "member", body, headers });
    expect(response.status).toBe(413);
    expect(response.headers.get("content-type")).toContain("text/html");
    const page = await response.text();
    expect(page).toContain("The form is larger than 2 MB");
    expect(page).toContain('href="/rag?dialog=ingest&amp;tab=text"');
  });

  it("left unread don't block the connection's next request", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = new URL(server.baseUrl);
    const send = (method: string, path: string, body: string) =>
      new Promise<{ status: number | undefined; isSameConnection: boolean }>((done, failed) => {
        const sent = request({ agent, port, host: "127.0.0.1", method, path }, (response) => {
          const { statusCode: status } = response;
          response.resume().once("end", () => done({ status, isSameConnection: sent.reusedSocket }));
        });
        sent.once("error", failed);
        sent.end(body);
      });
    const first = await send("POST", "/api/nothing", "x".repeat(900_000));
    expect(first).toEqual({ status: 404, isSameConnection: false });
    expect(await send("GET", "/api/health", "")).toEqual({ status: 200, isSameConnection: true });
    agent.destroy();
  });

  const headersOf = (length: string, cookie = server.cookieOf("member"), path = "/api/personas") => [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(server.baseUrl).host}`,
    `origin: ${server.baseUrl}`,
    `cookie: ${cookie}`,
    "content-type: application/json",
    length,
  ];

  /** The response to a client that sends everything before reading, then makes a second request on the connection. */
  async function sendThenRead(headers: string[], pieces: Iterable<string>): Promise<string> {
    const socket = connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
    const disconnected = new Promise<never>((_, failed) => socket.once("error", failed));
    const send = async () => {
      socket.pause();
      await once(socket, "connect");
      socket.write(`${headers.join("\r\n")}\r\n\r\n`);
      for (const piece of pieces) if (!socket.write(piece)) await once(socket, "drain");
      socket.write("GET /api/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
      let answer = "";
      for await (const chunk of socket) answer += chunk;
      return answer;
    };
    try {
      return await Promise.race([send(), disconnected]);
    } finally {
      socket.destroy();
    }
  }
  const PIECE = "x".repeat(64 * 1024);

  it.each([
    ["tell their length", "content-length: 16777216", Array.from({ length: 256 }, () => PIECE)],
    [
      "don't",
      "transfer-encoding: chunked",
      [...Array.from({ length: 256 }, () => `10000\r\n${PIECE}\r\n`), "0\r\n\r\n"],
    ],
  ])("of 16 MB that %s are 413 for those who sends them to their end first", async (_, length, pieces) => {
    const answer = await sendThenRead(headersOf(length), pieces);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain("The body is larger than 1 MB.");
    // The next request on the connection is answered as well: nothing of the body is in its way.
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(1);
  });

  it.each([
    ["known", () => server.cookieOf("member"), "/api/personas"],
    ["unknown, and answered at once", () => "", "/api/personas"],
    ["without a token", () => "", "/v1/chat/completions"],
    ["at an address that is refused first", () => "", "/v1/./chat/completions"],
  ])("that never end are cut off from someone %s", async (_, cookie, path) => {
    function* endless() {
      for (;;) yield `10000\r\n${PIECE}\r\n`;
    }
    const headers = headersOf("transfer-encoding: chunked", cookie(), path);
    await expect(sendThenRead(headers, endless())).rejects.toThrow(/EPIPE|ECONNRESET/);
    expect((await server.ask("/api/health")).status).toBe(200);
  });
});

describe("changes with a session cookie", () => {
  const post = (headers: Record<string, string>, path = "/api/personas") =>
    server.ask(path, {
      method: "POST",
      json: {},
      headers: { cookie: server.cookieOf("member"), ...headers },
    });

  it.each([
    ["another site's origin", { origin: "https://evil.example" }],
    ["another port's origin", { origin: "http://127.0.0.1:1" }],
    ["a null origin", { origin: "null" }],
    ["an origin that is no address", { origin: "127.0.0.1" }],
    ["no origin, from another site", { "sec-fetch-site": "cross-site" }],
    ["no origin, from a sibling site", { "sec-fetch-site": "same-site" }],
    ["neither", {}],
  ])("are refused with %s", async (_, headers) => {
    const response = await post(headers as Record<string, string>);
    expect(response.status).toBe(403);
    expect(await problem(response)).toMatchObject({ detail: expect.stringContaining("another site") });
  });

  it("pass with the console's own or the same origin", async () => {
    // 400: it was let through to the endpoint, which misses its fields.
    expect((await post({ origin: server.baseUrl })).status).toBe(400);
    expect((await post({ "sec-fetch-site": "same-origin" })).status).toBe(400);
  });

  it("need the origin on screens' forms too", async () => {
    expect((await post({ origin: "https://evil.example" }, "/personas")).status).toBe(403);
    expect((await post({ origin: "https://evil.example" }, "/login")).status).toBe(403);
  });
});

describe("API tokens", () => {
  it("work without an origin and carry their owner's role", async () => {
    const token = await server.createToken("member");
    expect((await server.ask("/api/auth/user", { token })).status).toBe(200);
    expect((await server.ask("/api/personas", { token, json: {} })).status).toBe(400);
    expect((await server.ask("/api/keys", { token })).status).toBe(403);
  });

  it("have their scopes only", async () => {
    const token = await server.createToken("member", ["screens.read"]);
    const response = await server.ask("/api/personas", { token, json: {} });
    expect(response.status).toBe(403);
    expect(await problem(response)).toMatchObject({ detail: expect.stringContaining("personas.write") });
  });

  it("report their gateway limits", async () => {
    const limits = { models: ["gpt-4o"], requestsPerMinute: 60 };
    const made = await server.ask("/api/tokens", { as: "member", json: { name: "Editor", ...limits } });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ ...limits, scopes: expect.arrayContaining(["gateway.use"]) });
    const response = await server.ask("/api/tokens", { as: "member" });
    expect(await response.json()).toContainEqual(expect.objectContaining({ name: "Editor", ...limits }));
    const refused = await server.ask("/api/tokens", { as: "member", json: { name: "Editor", models: [] } });
    expect(await problem(refused)).toMatchObject({ errors: { models: [expect.any(String)] } });
  });

  it("get 401 if invalid, even with a valid cookie", async () => {
    const headers = { cookie: server.cookieOf("owner") };
    expect((await server.ask("/api/auth/user", { token: "qd_wrong", headers })).status).toBe(401);
    expect((await server.ask("/api/auth/user", { headers: { authorization: "Basic eDp4" } })).status).toBe(
      401,
    );
  });
});

describe("headers", () => {
  it.each(["/sandbox/html", "/Sandbox/HTML", "/sandbox/html/", "/sandbox/diagram?script=x.js"])(
    "give %s a policy without an origin or connections",
    async (path) => {
      const policy = (await server.ask(path)).headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(/^sandbox allow-scripts;default-src 'none';connect-src 'none'/);
      expect(policy.includes("'unsafe-inline'")).toBe(!/html/i.test(path) || path === "/sandbox/html");
    },
  );

  it("protect every page", async () => {
    const { headers } = await server.ask("/login?local=1");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self' 'nonce-[\w+/=]{20,}'(;|$)/);
    expect(policy).toMatch(/style-src 'self' 'nonce-/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("x-powered-by")).toBeNull();
  });

  it("carry a new nonce per page, which its scripts have", async () => {
    const nonces = new Set<string>();
    for (let n = 0; n < 2; n++) {
      const response = await server.ask("/personas", { as: "owner", headers: { accept: "text/html" } });
      const nonce = /'nonce-([^']+)'/.exec(response.headers.get("content-security-policy") ?? "")?.[1] ?? "";
      const page = await response.text();
      const inline = [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>/g)].map(([tag]) => tag);
      expect(inline.length).toBeGreaterThan(0);
      for (const tag of inline) expect(tag).toContain(`nonce="${nonce}"`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(2);
  });

  it("carry a new request ID and ignore the client's", async () => {
    const first = (await server.ask("/api/health", { headers: { "x-request-id": "mine" } })).headers;
    const second = (await server.ask("/api/health")).headers;
    expect(first.get("x-request-id")).toMatch(/^req_/);
    expect(second.get("x-request-id")).not.toBe(first.get("x-request-id"));
  });

  it("keep answers out of caches", async () => {
    expect((await server.ask("/api/audit", { as: "owner" })).headers.get("cache-control")).toBe("no-store");
    expect((await server.ask("/login?local=1")).headers.get("cache-control")).toBe("no-store");
  });

  it("let no other site read a response", async () => {
    const response = await server.ask("/api/auth/user", {
      as: "owner",
      headers: { origin: "https://evil.example" },
    });
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe("the process", () => {
  it("logs only refusals of the above, and no secret", () => {
    expect(server.output).not.toContain(server.cookieOf("member").split("=")[1]);
    expect(server.output).not.toContain("unexpected error");
  });
});
