import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CookieClient } from "../support/cookie-client";
import { startProvider, type TestProvider } from "../support/oidc";
import { type Sent, send } from "../support/send";
import { startServer, type TestServer } from "../support/server";
import { upload, uploadForm } from "../support/uploads";

// What every implementation of the API has to do with methods, headers, bodies and addresses. edge.test.ts has the rest
// of a request's way in, api-streams.test.ts streams and uploads.

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let server: TestServer;
let token: Record<string, string>;
let session: Record<string, string>;
/** Declared methods by path. */
let declared: [path: string, methods: string[]][];
beforeAll(async () => {
  server = await startServer();
  token = { authorization: `Bearer ${await server.createToken("owner")}` };
  session = { cookie: server.cookieOf("owner"), origin: server.baseUrl };
  const { paths } = (await (await server.ask("/api/openapi.json")).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  declared = Object.entries(paths).map(([path, operations]) => [
    path.replaceAll(/\{\w+\}/g, "unknown"),
    METHODS.filter((method) => method.toLowerCase() in operations),
  ]);
});
afterAll(() => server.close());

const problem = ({ status, headers, text }: Sent) => ({
  status,
  contentType: headers["content-type"],
  ...(JSON.parse(text) as object),
});
const notFound = (path: string) => ({
  status: 404,
  contentType: "application/problem+json; charset=utf-8",
  code: "not_found",
  detail: `${path} not found.`,
});
const withHead = (methods: string[]) =>
  methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));

describe("a method", () => {
  it("that a path doesn't have is 405, with those that it has in Allow", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const calls = declared.flatMap(([path, methods]) =>
      withHead(METHODS)
        .filter((method) => !withHead(methods).includes(method))
        .map((method) => ({ method, path, allow: withHead(methods).join(", ") })),
    );
    expect(calls.length).toBeGreaterThan(800);
    const wrong: unknown[] = [];
    await Promise.all(
      calls.map(async ({ method, path, allow }) => {
        const { status, headers, text } = await send(server, method, path, { agent, headers: token });
        const isRefusal = status === 405 && headers.allow === allow;
        const isJson = /^application\/(?:problem\+)?json\b/.test(headers["content-type"] ?? "");
        if (!isRefusal || !isJson || (method === "HEAD") !== (text === ""))
          wrong.push({ method, path, status, allow: headers.allow, text });
      }),
    );
    agent.destroy();
    expect(wrong).toEqual([]);
  });

  it("OPTIONS names those that a path has, to everyone and without a body", async () => {
    for (const [path, methods] of declared) {
      const { status, headers, text } = await send(server, "OPTIONS", path);
      expect([path, status, text]).toEqual([path, 204, ""]);
      expect([path, headers.allow?.split(", ").sort()]).toEqual([path, withHead(methods).sort()]);
    }
  });

  it.each(["/api/personas", "/api/ai/chat", "/v1/models", "/api/nothing"])(
    "of another protocol is 405 in JSON: %s",
    async (path) => {
      for (const method of ["PROPFIND", "QUERY"]) {
        const { status, headers } = await send(server, method, path, { headers: token });
        expect([method, status]).toEqual([method, 405]);
        expect(headers["content-type"]).toMatch(/^application\/(?:problem\+)?json\b/);
      }
    },
  );

  it("is refused at an address that a URL would resolve to another one", async () => {
    for (const path of [
      "/x/../api/personas",
      "/x/%2E%2e/v1/models",
      "/x\\..\\api/personas",
      "/api/./personas",
    ]) {
      const { status, text } = await send(server, "GET", path, { headers: token });
      expect([path, status, JSON.parse(text)]).toMatchObject([
        path,
        400,
        { detail: "The address is malformed." },
      ]);
    }
  });

  it("TRACE is answered by nobody", async () => {
    for (const path of ["/api/personas", "/v1/models", "/chat"]) {
      const { status, headers } = await send(server, "TRACE", path, { headers: token });
      expect([path, status, headers.allow]).toEqual([path, 405, "GET, HEAD, POST, PUT, PATCH, DELETE"]);
    }
  });
});

/** Of a response whose body is left. */
function headersOf(path: string, headers: Record<string, string>): Promise<IncomingHttpHeaders> {
  const { port, hostname: host } = new URL(server.baseUrl);
  return new Promise((done, failed) => {
    const sent = request({ host, port, path, headers }, (response) => {
      done({ ...response.headers, status: String(response.statusCode) });
      sent.destroy();
    });
    sent.once("error", failed).end();
  });
}

/** They depend on the request, or on the body, which HEAD needn't make. */
const FLEETING = [
  "date",
  "x-request-id",
  "request-id",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "vary",
];
const lasting = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !FLEETING.includes(name))
      .map(([name, value]) => [name, String(value).replaceAll(/'nonce-[^']+'/g, "a nonce")]),
  );

describe("HEAD", () => {
  let files: { document: string; image: string };
  beforeAll(async () => {
    const { files: documents } = await upload(server, [["tides.txt", "High water at noon."]], {
      as: "owner",
    });
    const body = uploadForm([["pixel.png", new Uint8Array(Buffer.from(PIXEL, "base64"))]]);
    const answer = await server.ask("/api/attachments", { as: "owner", body });
    const [image] = (await answer.json()) as { attachment: { id: string } }[];
    files = { document: documents[0]?.id ?? "", image: image?.attachment.id ?? "" };
  });

  it.each([
    ["a list", () => "/api/personas"],
    ["a page of a list", () => "/api/audit?limit=1"],
    ["a public object", () => "/api/branding"],
    ["a file", () => `/api/rag/documents/${files.document}/original`],
    ["an image", () => `/api/attachments/${files.image}/content`],
    ["an export", () => "/api/audit/export?format=csv"],
    ["server-sent events", () => "/api/events?topics=documents"],
    ["an object that isn't there", () => "/api/personas/none"],
    ["a path that isn't there", () => "/api/nothing"],
    ["a wrong query", () => "/api/audit?limit=100000"],
    ["models for programs", () => "/v1/models"],
    ["metrics", () => "/metrics"],
  ])("has the headers of GET and no body: %s", async (_, pathOf) => {
    const path = pathOf();
    const head = await send(server, "HEAD", path, { headers: token });
    expect(head.text).toBe("");
    const get = await headersOf(path, token);
    expect({ ...lasting(head.headers), status: String(head.status) }).toEqual(lasting(get));
  });

  it("leaves the connection to the next request", async () => {
    for (const path of ["/api/personas", "/api/events?topics=documents", "/api/nothing", "/v1/models"]) {
      const socket = connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
      const head = [`HEAD ${path} HTTP/1.1`, "host: localhost", `authorization: ${token.authorization}`];
      socket.write(`${head.join("\r\n")}\r\n\r\n`);
      socket.write("GET /api/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
      let answers = "";
      for await (const chunk of socket) answers += chunk;
      expect([path, answers.match(/HTTP\/1\.1 \d+/g)?.length]).toEqual([path, 2]);
      expect(answers).toContain('{"status":"ok"}');
    }
  });

  it("leaves no live stream open", async () => {
    // More than the sixteen that a person may have.
    for (let count = 0; count < 20; count++)
      expect((await send(server, "HEAD", "/api/events?topics=documents", { headers: token })).status).toBe(
        200,
      );
  });

  it("of a file has its length", async () => {
    const path = `/api/rag/documents/${files.document}/original`;
    const head = await send(server, "HEAD", path, { headers: token });
    expect(head.headers["content-length"]).toBe(String("High water at noon.".length));
  });

  describe("and If-None-Match", () => {
    it("is 304 without a body for the tag that it had, and the whole image for another", async () => {
      const path = `/api/attachments/${files.image}/content`;
      const { etag = "", ...first } = await headersOf(path, token);
      expect(etag).toMatch(/^"\w+"$/);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (const method of ["GET", "HEAD"]) {
        const same = await send(server, method, path, {
          agent,
          headers: { ...token, "if-none-match": etag },
        });
        expect(same).toMatchObject({
          status: 304,
          text: "",
          headers: { etag, "cache-control": first["cache-control"] },
        });
        expect(same.headers["content-type"]).toBeUndefined();
      }
      const headers = { ...token, "if-none-match": '"another"' };
      const other = await send(server, "GET", path, { agent, headers });
      expect(other).toMatchObject({ status: 200, isReused: true, headers: { etag } });
      agent.destroy();
    });
  });
});

describe("several cookies", () => {
  let provider: TestProvider;
  let console: TestServer;
  beforeAll(async () => {
    provider = await startProvider([{ sub: "ada", email: "ada@example.com", email_verified: true }]);
    console = await startServer({ env: { ...provider.env, OAUTH_ALLOWED_DOMAINS: "example.com" } });
    provider.register(console.baseUrl);
  });
  afterAll(async () => {
    await console?.close();
    await provider?.close();
  });

  it("are set by one response each in a header of its own", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    try {
      const client = new CookieClient();
      await client.passProvider(await client.open(`${console.baseUrl}/api/login`), "ada");
      const responses = (await Promise.all(
        fetched.mock.results.map(({ value }) => value as unknown),
      )) as Response[];
      const cookiesOf = (path: string) =>
        responses
          .find(({ url }) => url.startsWith(console.baseUrl + path))
          ?.headers.getSetCookie()
          .map((line) =>
            /^(\w+)(?::[\w-]+)?=[^;]*; Path=\/; Max-Age=(\d+); HttpOnly; SameSite=Lax$/.exec(line),
          )
          .map((found) => [found?.[1], found?.[2] === "0"]);
      expect(cookiesOf("/api/login")).toEqual([
        ["qd_oauth", false],
        ["qd_flow", false],
      ]);
      expect(cookiesOf("/api/auth/callback")).toEqual([
        ["qd_flow", true],
        ["qd_oauth", true],
        ["qd_session", false],
      ]);
    } finally {
      fetched.mockRestore();
    }
  });
});

// An object, and a stream.
describe.each([
  ["POST", "/api/prompts"],
  ["POST", "/api/ai/chat"],
])("a body of %s %s", (method, path) => {
  const json = { "content-type": "application/json" };
  const ask = (body: string | Uint8Array, headers: Record<string, string> = json) =>
    send(server, method, path, { body, headers: { ...session, ...headers } });

  it.each([
    ["text", { "content-type": "text/plain" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["files", { "content-type": "multipart/form-data; boundary=x" }],
    ["of no type", {}],
  ])("that is %s is 415", async (_, headers) => {
    expect(problem(await ask("{}", headers as Record<string, string>))).toMatchObject({
      status: 415,
      code: "unsupported_media",
      detail: "Send the body as application/json.",
    });
  });

  it.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.console+json"])(
    "of the type %s is read",
    async (type) => {
      const answer = await ask('{"messages":1}', { "content-type": type });
      expect(problem(answer)).toMatchObject({ status: 400, code: "invalid", errors: expect.any(Object) });
    },
  );

  it.each([
    ["broken off", '{"messages":['],
    ["followed by more", "{} {}"],
    ["empty", ""],
    ["no valid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ])("that is %s is 400", async (_, body) => {
    expect(problem(await ask(body))).toMatchObject({ status: 400, code: "invalid", title: "Bad request" });
  });

  it.each([
    ["tells its length", {}],
    ["doesn't", { "transfer-encoding": "chunked" }],
  ])("over 1 MB is 413 if it %s", async (_, headers) => {
    const answer = await ask(`"${"x".repeat(1024 * 1024)}"`, { ...json, ...headers } as Record<
      string,
      string
    >);
    expect(problem(answer)).toMatchObject({
      status: 413,
      code: "too_large",
      detail: "The body is larger than 1 MB.",
    });
  });
});

describe("an address", () => {
  it.each(["/api/nothing", "/api/personas/x/y/z", "/api//personas", "/api/personas;x=1"])(
    "that isn't there is 404 in JSON with whatever rights: %s",
    async (path) => {
      for (const method of METHODS)
        for (const headers of [{}, session, token]) {
          const body = method === "GET" ? {} : { body: "{}" };
          const answer = await send(server, method, path, { ...body, headers });
          expect([method, problem(answer)]).toEqual([method, expect.objectContaining(notFound(path))]);
        }
    },
  );

  it("may end in a slash", async () => {
    const list = await send(server, "GET", "/api/personas/", { headers: session });
    expect([list.status, list.text]).toEqual([200, "[]"]);
    expect((await send(server, "GET", "/api/personas/")).status).toBe(401);
    expect((await send(server, "GET", "/api/health/")).status).toBe(200);
    const wrong = await send(server, "DELETE", "/api/personas/", { headers: session });
    expect([wrong.status, wrong.headers.allow]).toEqual([405, "GET, HEAD, POST"]);
  });

  it.each([
    ["/api/personas/%2F", "Persona not found."],
    ["/api/personas/a%2Fb", "Persona not found."],
    ["/api/personas/%00", "Persona not found."],
    ["/api/personas/%F0%9F%9A%A2", "Persona not found."],
    ["/api/ai/chat/a%2Fb%00/stream", "Conversation not found."],
    ["/api/hooks/a%2Fb", "Webhook not found."],
    ["/api/hooks/%00", "Webhook not found."],
    ["/v1/models/a%2Fb", 'Model "a/b" not found.'],
  ])("with an encoded parameter leads to its endpoint: %s", async (path, detail) => {
    const method = path.startsWith("/api/hooks") ? "POST" : "GET";
    const answer = await send(server, method, path, {
      headers: { ...token, ...(method === "POST" ? { "content-type": "application/json" } : {}) },
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain(JSON.stringify(detail).slice(1, -1));
  });

  it("has its parameters decoded once", async () => {
    const put = (path: string) =>
      send(server, "PUT", path, {
        body: '{"policy":"ask"}',
        headers: { ...session, "content-type": "application/json" },
      });
    expect((await put("/api/tools/kv.get/policy")).status).toBe(200);
    expect((await put("/api/tools/kv%2Eget/policy")).status).toBe(200);
    expect((await put("/api/tools/kv%252Eget/policy")).status).toBe(404);
  });

  it.each(["%", "%E0%A4%A", "%FF", "%C0%80", "%ED%A0%80", "%u0000"])(
    "that can't be decoded is 400 in JSON: %s",
    async (odd) => {
      for (const [method, path] of [
        ["GET", `/api/personas/${odd}`],
        ["DELETE", `/api/personas/a${odd}`],
        ["GET", `/api/ai/chat/${odd}/stream`],
        ["POST", `/api/hooks/${odd}`],
        ["GET", `/v1/models/${odd}`],
      ] as const) {
        const { status, headers, text } = await send(server, method, path, {
          headers: token,
          ...(method === "GET" ? {} : { body: "" }),
        });
        expect([path, status, text]).toEqual([path, 400, expect.stringContaining("malformed")]);
        expect(headers["content-type"]).toMatch(/^application\/(?:problem\+)?json\b/);
      }
    },
  );

  it("that is too long is refused, not cut", async () => {
    const answer = await send(server, "GET", `/api/personas/${"a".repeat(8000)}`, { headers: token });
    expect(problem(answer)).toMatchObject({ status: 400, code: "invalid" });
  });
});

it("leaves nothing unexpected in the log", () => {
  expect(server.output).not.toContain('"msg":"unexpected error"');
});
