import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Role } from "~/core/actor";
import { type MockServer, startMockServer } from "../support/mock-server";
import { startServer, type TestServer } from "../support/server";
import { upload } from "../support/uploads";

// Bodies that come or go piece by piece, and clients that leave meanwhile, for every implementation of the API.

const MODEL = "gated";
const MB = 1_000_000;

let server: TestServer;
let upstream: MockServer;
/** Answers of the model that have begun. */
const begun: ServerResponse[] = [];
let brokenOff = 0;

const piece = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: "c",
    object: "chat.completion.chunk",
    created: 0,
    model: MODEL,
    choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: finish }],
  })}\n\n`;

beforeAll(async () => {
  upstream = await startMockServer((asked, response) => {
    if (asked.method === "GET") return void response.end('{"data":[]}');
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(piece("First, "));
    begun.push(response);
    response.once("close", () => {
      if (!response.writableFinished) brokenOff += 1;
    });
  });
  server = await startServer();
  const config = { baseUrl: `${upstream.origin}/v1`, models: [MODEL] };
  const json = { provider: "custom", displayName: "Gated", enabled: true, config };
  expect((await server.ask("/api/providers", { as: "owner", json })).status).toBe(201);
});
afterAll(async () => {
  await server?.close();
  await upstream?.close();
});

/** Lets the model finish its last answer. */
function finishAnswer(): void {
  const response = begun.at(-1);
  response?.write(piece("then second."));
  response?.end(`${piece("", "stop")}data: [DONE]\n\n`);
}

/** Reads a stream until it says this, or to its end. */
async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  words: string | undefined,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  while (words === undefined || !text.includes(words)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return text;
}

async function open(path: string, json?: unknown, signal?: AbortSignal) {
  const response = await server.ask(path, {
    as: "member",
    ...(json === undefined ? {} : { json }),
    ...(signal ? { signal } : {}),
  });
  const type = response.headers.get("content-type");
  if (!type?.startsWith("text/event-stream") || !response.body)
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return { response, reader: response.body.getReader() };
}

const chat = () => open("/api/ai/chat", { model: MODEL, messages: [{ role: "user", content: "Count" }] });
const tryPersona = (signal?: AbortSignal) =>
  open(
    "/api/personas/try",
    { systemPrompt: "", defaultModel: MODEL, mode: "default", tools: [], question: "Count" },
    signal,
  );
async function compare() {
  const json = { prompt: "Count", models: [MODEL, "quarterdeck-offline"] };
  const made = await server.ask("/api/ai/comparisons", { as: "member", json });
  const { id } = (await made.json()) as { id: string };
  return open(`/api/ai/comparisons/${id}/stream`);
}

describe("an answer", () => {
  it.each([
    ["of the chat", chat],
    ["of a tried persona", tryPersona],
    ["of a comparison", compare],
  ])("%s arrives piece by piece", async (_, start) => {
    const { response, reader } = await start();
    expect(response.headers.get("cache-control")).toContain("no-");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    expect(await readUntil(reader, "First")).not.toContain("second");
    finishAnswer();
    expect(await readUntil(reader, undefined)).toContain("second");
  });

  it("of a tried persona ends at the provider when its reader leaves", async () => {
    const leaving = new AbortController();
    const before = brokenOff;
    const { reader } = await tryPersona(leaving.signal);
    await readUntil(reader, "First");
    leaving.abort();
    await expect.poll(() => brokenOff).toBe(before + 1);
  });

  it("of the chat is read by others though its first reader left", async () => {
    const leaving = new AbortController();
    const json = { model: MODEL, messages: [{ role: "user", content: "Count" }] };
    const { response, reader } = await open("/api/ai/chat", json, leaving.signal);
    await readUntil(reader, "First");
    const resumed = await open(`/api/ai/chat/${response.headers.get("x-conversation-id")}/stream`);
    leaving.abort();
    expect(await readUntil(resumed.reader, "First")).toContain("First");
    finishAnswer();
    expect(await readUntil(resumed.reader, undefined)).toContain("second");
  });
});

describe("live events", () => {
  /** As many as a person may follow at a time. */
  const MOST = 16;
  const PATH = "/api/events?topics=documents";

  it("that a client leaves make room for others", async () => {
    const leaving = new AbortController();
    for (let count = 0; count < MOST; count++) {
      const { reader } = await open(PATH, undefined, leaving.signal);
      await readUntil(reader, "documents");
    }
    const status = async () => {
      const response = await server.ask(PATH, { as: "member" });
      await response.body?.cancel();
      return response.status;
    };
    expect(await status()).toBe(429);
    leaving.abort();
    await expect.poll(status).toBe(200);
  });
});

/** The server's resident memory, in bytes. */
function memory(): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

const headersOf = (as: Role, more: Record<string, string> = {}) => ({
  cookie: server.cookieOf(as),
  origin: server.baseUrl,
  ...more,
});

describe("a download", () => {
  it("waits for readers who read nothing, and then arrives whole", async () => {
    const bytes = Buffer.concat([Buffer.from("%PDF-1.7\n"), randomBytes(48 * MB)]);
    const { files } = await upload(server, [["plans.pdf", new Uint8Array(bytes)]]);
    const id = files[0]?.id ?? "";
    const document = async () =>
      ((await (await server.ask(`/api/rag/documents/${id}`, { as: "member" })).json()) as { status: string })
        .status;
    await expect.poll(document).toBe("failed");
    const { hostname, port } = new URL(server.baseUrl);
    const head = [
      `GET /api/rag/documents/${id}/original HTTP/1.1`,
      `host: ${hostname}`,
      `cookie: ${server.cookieOf("member")}`,
      "connection: close",
    ];
    const before = memory();
    const readers: Socket[] = [];
    for (let count = 0; count < 5; count++) {
      const socket = connect(Number(port), hostname);
      socket.pause();
      socket.write(`${head.join("\r\n")}\r\n\r\n`);
      readers.push(socket);
    }
    // All of it would be in memory by now, if it were read ahead: other requests are answered in between.
    let last = 0;
    const isSettled = async () => {
      expect((await server.ask("/api/health")).status).toBe(200);
      const now = memory();
      const isStill = Math.abs(now - last) < MB;
      last = now;
      return isStill;
    };
    await expect.poll(isSettled, { timeout: 60_000, interval: 500 }).toBe(true);
    expect(memory() - before).toBeLessThan(100 * MB);
    const [first, ...others] = readers;
    for (const socket of others) socket.destroy();
    const chunks: Buffer[] = [];
    first?.on("data", (chunk: Buffer) => chunks.push(chunk));
    first?.resume();
    if (first) await once(first, "end");
    const answer = Buffer.concat(chunks);
    const body = answer.subarray(answer.indexOf("\r\n\r\n") + 4);
    const hash = (of: Buffer) => createHash("sha256").update(of).digest("hex");
    expect([body.length, hash(body)]).toEqual([bytes.length, hash(bytes)]);
  });
});

const PART = '--x\r\nContent-Disposition: form-data; name="files"; filename="big.json"\r\n\r\n';
const FORM = { "content-type": "multipart/form-data; boundary=x" };
const BLOCK = Buffer.alloc(64 * 1024, "x");

/** Sends a part of an upload, and leaves it open. */
async function beginUpload(path: string, length: number, bytes: number, text = PART) {
  const { port, hostname: host } = new URL(server.baseUrl);
  const headers = headersOf("member", { ...FORM, "content-length": String(length) });
  const sent = request({ host, port, path, method: "POST", headers });
  sent.on("error", () => undefined);
  sent.write(text);
  const write = async (count: number) => {
    for (let left = count; left > 0; left -= BLOCK.length)
      if (!sent.write(BLOCK.subarray(0, left))) await once(sent, "drain");
  };
  await write(bytes);
  return { sent, write };
}

describe("an upload", () => {
  it.each([
    ["isn't allowed", "/api/rag/upload", "viewer", 4 * MB, PART, 403, /documents|Documents/],
    ["is too large", "/api/rag/upload", "member", 1200 * MB, PART, 413, /larger than/],
    ["goes where no files are taken", "/api/prompts", "member", 4 * MB, PART, 415, /application.json/],
    [
      "has a wrong field before its files",
      "/api/rag/upload",
      "member",
      4 * MB,
      `--x\r\nContent-Disposition: form-data; name="category"\r\n\r\nNowhere\r\n${PART}`,
      400,
      /category/,
    ],
  ] as const)(
    "that %s is refused before it is there, and the client goes on",
    async (_, path, as, length, text, status, reason) => {
      const { host, hostname, port } = new URL(server.baseUrl);
      const socket = connect(Number(port), hostname);
      let answers = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        answers += chunk;
      });
      socket.on("error", () => undefined);
      const headers = { host, ...headersOf(as, FORM), "content-length": String(length) };
      const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`POST ${path} HTTP/1.1\r\n${head.join("")}\r\n${text}`);
      socket.write(BLOCK);
      await expect.poll(() => answers).toMatch(/"requestId":"\w+"/);
      expect(answers).toContain(`HTTP/1.1 ${status} `);
      expect(answers).toMatch(reason);
      // The rest is taken, or the connection is closed.
      const closed = once(socket, "close");
      if (length < 10 * MB) {
        socket.write(Buffer.alloc(length - text.length - BLOCK.length, "x"));
        socket.write("GET /api/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
      } else socket.destroy();
      await closed;
      const statuses = answers.match(/HTTP\/1\.1 \d+/g)?.slice(1) ?? [];
      expect([[], ["HTTP/1.1 200"]]).toContainEqual(statuses);
      expect((await server.ask("/api/health")).status).toBe(200);
    },
  );

  /** Of imports that are on their way. */
  const stored = () =>
    readdirSync(server.dataDir, { recursive: true, encoding: "utf8" })
      .filter((name) => /imp_/.test(name))
      .map((name) => statSync(join(server.dataDir, name)).size);

  it("isn't held in memory, and leaves nothing behind when it is broken off", async () => {
    const before = memory();
    let most = 0;
    const { sent, write } = await beginUpload("/api/ai/imports", 190 * MB, MB);
    for (let megabytes = 1; megabytes < 160; megabytes += 5) {
      await write(5 * MB);
      most = Math.max(most, memory());
    }
    await expect.poll(() => stored()[0]).toBeGreaterThan(140 * MB);
    expect(most - before).toBeLessThan(100 * MB);
    sent.destroy();
    await expect.poll(stored).toEqual([]);
    const list = await server.ask("/api/ai/imports", { as: "member" });
    expect(await list.json()).toEqual([]);
  });

  it("that is broken off in its second file keeps the first", async () => {
    const text = `--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nHigh water\r\n${PART}`;
    const { sent } = await beginUpload("/api/attachments", 4 * MB, MB, text);
    const names = async () => {
      const list = await server.ask("/api/attachments", { as: "member" });
      return ((await list.json()) as { name: string }[]).map(({ name }) => name);
    };
    await expect.poll(names).toEqual(["a.txt"]);
    sent.destroy();
    expect(await names()).toEqual(["a.txt"]);
  });
});

it("leaves no unhandled rejection in the log", () => {
  expect(server.output).not.toContain("unhandled rejection");
});
