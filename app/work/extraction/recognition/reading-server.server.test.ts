import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { addKey } from "~/team/keys/keys.service.server";
import { isTransient } from "~/work/index/transient-errors";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import type { MockServer } from "../../../../tests/support/mock-server";
import { startReadingServer } from "../../../../tests/support/reading-server";
import { type ReadingServer, recognizeAtServer } from "./reading-server.server";
import type { ServerKind } from "./server-shapes";
import { TEST_PICTURE } from "./test-picture";

const KINDS = ["docling", "tika", "mistral"] as const;

let test: ReturnType<typeof openTestDatabase>;
let server: MockServer;
let read: string;
/** Instead of the server's own answer. */
let instead: ((response: ServerResponse) => void) | undefined;

beforeEach(async () => {
  test = openTestDatabase();
  vi.stubEnv("QUARTERDECK_KEY_SCANS", "value-of-scans");
  read = "Sailing orders\n\nLeave at dawn.";
  instead = undefined;
  server = await startReadingServer({
    read: () => read,
    instead: (response) => {
      instead?.(response);
      return instead !== undefined;
    },
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  test.close();
});

const serverOf = (kind: ServerKind, over: Partial<ReadingServer> = {}): ReadingServer => ({
  orgId: ORG_ID,
  kind,
  address: `${server.origin}/${kind}`,
  keyId: "",
  model: "mistral-ocr-latest",
  timeoutMs: 10_000,
  ...over,
});
const recognize = (kind: ServerKind, over?: Partial<ReadingServer>) =>
  recognizeAtServer(serverOf(kind, over), TEST_PICTURE);
const addScanKey = (origin = server.origin) =>
  addKey(test.actors.admin, { provider: "other", alias: "QUARTERDECK_KEY_SCANS", origin }).id;

describe.each(KINDS)("%s", (kind) => {
  it("reads a page in one call, without a key if none is chosen", async () => {
    expect(await recognize(kind)).toBe("Sailing orders\n\nLeave at dawn.");
    expect(server.requests).toHaveLength(1);
    const { authorization, "x-api-key": key } = server.requests[0]?.headers ?? {};
    expect([authorization, key]).toEqual([undefined, undefined]);
  });

  it("gets the chosen key", async () => {
    await recognize(kind, { keyId: addScanKey() });
    const { authorization, "x-api-key": key } = server.requests[0]?.headers ?? {};
    expect([authorization, key]).toEqual(
      kind === "docling" ? [undefined, "value-of-scans"] : ["Bearer value-of-scans", undefined],
    );
  });

  it("gives a page's text without placeholders of pictures and control characters", async () => {
    read = "One\r\ntwo\u0007\n\n![img-0.jpeg](img-0.jpeg)\n\n<!-- image -->\n\n\nthree ![x](y)";
    expect(await recognize(kind)).toBe("One\ntwo \n\nthree ![x](y)");
  });

  it("gives nothing for a page without text", async () => {
    read = "";
    expect(await recognize(kind)).toBe("");
  });
});

it("takes Tika's plain text, its empty answer and its answer without content", async () => {
  instead = (response) => response.writeHead(200, { "content-type": "text/plain" }).end("Dawn\n");
  expect(await recognize("tika")).toBe("Dawn");
  instead = (response) => response.writeHead(204).end();
  expect(await recognize("tika")).toBe("");
  instead = (response) => response.writeHead(200, { "content-type": "application/json" }).end("{}");
  expect(await recognize("tika")).toBe("");
});

it("takes Markdown of a Docling that gives no text", async () => {
  instead = (response) => response.end('{"document":{"md_content":"# Dawn"},"status":"partial_success"}');
  expect(await recognize("docling")).toBe("# Dawn");
});

it.each([
  [401, "provider_key", false],
  [403, "provider_key", false],
  [404, "provider_rejected", false],
  [413, "provider_rejected", false],
  [422, "provider_rejected", false],
  [408, "provider_unavailable", true],
  [429, "rate_limited", true],
  [500, "provider_unavailable", true],
  [503, "provider_unavailable", true],
])("says of HTTP %d whether it may pass", async (status, code, mayPass) => {
  instead = (response) =>
    response.writeHead(status, { "retry-after": "7" }).end("<h1>The server's words</h1>");
  const error = await recognize("docling").catch((thrown) => thrown);
  expect(error).toMatchObject({
    code,
    message: expect.stringContaining(`Docling at 127.0.0.1:${server.port}`),
  });
  expect(error.message).not.toContain("words");
  expect([isTransient(error), error.retryAfter]).toEqual([mayPass, mayPass ? 7 : undefined]);
});

/** What each kind of server would answer, of an object. */
const WHOLE = '"document":{"text_content":"x"},"X-TIKA:content":"x","pages":[{"markdown":"x"}]';

describe("an answer that isn't a page's text", () => {
  const answers: [problem: string, kinds: readonly ServerKind[], type: string, body: string][] = [
    ["an HTML page", KINDS, "text/html", "<html><h1>Sign in</h1></html>"],
    ["no JSON", KINDS, "application/json", "{"],
    ["another JSON", ["docling", "mistral"], "application/json", '{"error":"no"}'],
    ["a text that isn't one", ["tika"], "application/json", '{"X-TIKA:content":[1]}'],
    ["too many values", KINDS, "application/json", `{${WHOLE},"more":[${"0,".repeat(20_001)}0]}`],
    ["too deep a nesting", KINDS, "application/json", "[".repeat(50_000)],
    ["no text in any form", ["docling"], "application/json", '{"document":{},"status":"success"}'],
    ["a page without text", ["mistral"], "application/json", '{"pages":[{"index":0}]}'],
  ];
  const rows = answers.flatMap(([problem, kinds, ...answer]) =>
    kinds.map((kind) => [kind, problem, ...answer] as const),
  );
  it.each(rows)("of %s: %s", async (kind, _, type, body) => {
    instead = (response) => response.writeHead(200, { "content-type": type }).end(body);
    await expect(recognize(kind)).rejects.toMatchObject({
      code: "provider_rejected",
      message: expect.stringContaining(`at 127.0.0.1:${server.port}`),
    });
  });

  it.each(KINDS)("of %s: a text of 100 MB is cut off early", async (kind) => {
    let sent = 0;
    instead = (response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const part = "x".repeat(100_000);
      const write = () => {
        while (sent < 1000 && !response.destroyed) {
          sent++;
          if (!response.write(part)) return void response.once("drain", write);
        }
        response.end();
      };
      write();
    };
    const error = await recognize(kind).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "too_large", message: expect.stringContaining("127.0.0.1") });
    expect([isTransient(error), sent < 1000]).toEqual([false, true]);
  });

  it("an answer that never ends is given up, as one that may pass", async () => {
    let dripping: NodeJS.Timeout | undefined;
    instead = (response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      dripping = setInterval(() => response.write("x"), 5);
    };
    const error = await recognize("tika", { timeoutMs: 60 }).catch((thrown) => thrown);
    clearInterval(dripping);
    expect(error).toMatchObject({ code: "provider_timeout", message: expect.stringContaining("127.0.0.1") });
    expect(isTransient(error)).toBe(true);
  });

  it("a redirect isn't followed", async () => {
    instead = (response) => response.writeHead(307, { location: `${server.origin}/elsewhere` }).end();
    await expect(recognize("mistral")).rejects.toMatchObject({ permanent: true });
    expect(server.requests).toHaveLength(1);
  });
});

it("reports a page that a server can't read as unprocessable, unlike a refused request", async () => {
  const codeOf = (kind: ServerKind) => recognize(kind).catch(({ code }) => code);
  instead = (response) => response.end('{"document":{"text_content":""},"status":"failure"}');
  expect(await codeOf("docling")).toBe("unprocessable");
  instead = (response) => response.writeHead(422).end();
  expect(await Promise.all(KINDS.map(codeOf))).toEqual([
    "provider_rejected",
    "unprocessable",
    "provider_rejected",
  ]);
});

it("a server that isn't there may come back", async () => {
  const gone = await startReadingServer();
  await gone.close();
  const error = await recognize("tika", { address: gone.origin }).catch((thrown) => thrown);
  expect(error).toMatchObject({
    code: "provider_unavailable",
    message: expect.stringMatching(/^Tika: 127\.0\.0\.1:\d+ could not be reached.* Check that it runs/),
  });
  expect(isTransient(error)).toBe(true);
});

it("ends with its signal, long before its limit of time", async () => {
  const controller = new AbortController();
  instead = () => controller.abort(new Error("canceled"));
  const patient = serverOf("tika", { timeoutMs: 600_000 });
  await expect(recognizeAtServer(patient, TEST_PICTURE, controller.signal)).rejects.toThrow("canceled");
});

it("sends nothing with a key that is unset or bound to another address", async () => {
  const elsewhere = addScanKey("https://scans.example");
  await expect(recognize("docling", { keyId: elsewhere })).rejects.toMatchObject({
    code: "provider_key",
    message: expect.stringContaining("can only be sent to https://scans.example"),
  });
  vi.stubEnv("QUARTERDECK_KEY_SCANS", "");
  const unset = serverOf("docling", { keyId: elsewhere, address: "https://scans.example" });
  await expect(recognizeAtServer(unset, TEST_PICTURE)).rejects.toMatchObject({ code: "provider_key" });
  expect(server.requests).toEqual([]);
});
