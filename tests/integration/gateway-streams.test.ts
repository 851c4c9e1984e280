import { readFileSync } from "node:fs";
import { connect } from "node:net";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Gateway, openGateway } from "../support/gateway";
import { type HostileProvider, openHostileProvider } from "../support/hostile-provider";
import { type MockServer, startMockServer } from "../support/mock-server";

let gateway: Gateway;
let upstream: HostileProvider;
/** Sends the bytes below, one by one. */
let splitting: MockServer;

/** How long a provider may be silent, in milliseconds. */
const PATIENCE = 1000;

const messages = [{ role: "user" as const, content: "Hi" }];
const SPLIT = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: "Grüße aus Köln 👋🏽 — 日本語" }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: "\u2028 \\n\\n data: x" }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
]
  .map((data, index) => `${index === 1 ? ": a comment\n\n" : ""}data: ${JSON.stringify(data)}\n\n`)
  .concat("data: [DONE]\n\n")
  .join("");

beforeAll(async () => {
  upstream = await openHostileProvider();
  splitting = await startMockServer((request, response) => {
    if (request.method === "GET") return void response.end('{"data":[]}');
    response.writeHead(200, { "content-type": "text/event-stream" });
    const bytes = Buffer.from(SPLIT);
    let at = 0;
    const next = () => {
      if (at >= bytes.length) return void response.end();
      response.write(bytes.subarray(at, at + 1), () => setImmediate(next));
      at += 1;
    };
    next();
  });
  gateway = await openGateway({ retryAttempts: 0, timeout: PATIENCE });
  await gateway.addProvider({
    provider: "custom",
    key: false,
    baseUrl: `${splitting.origin}/v1`,
    models: ["split"],
    displayName: "Splitter",
  });
  for (const behaviour of ["endless", "steady"] as const) {
    await gateway.addProvider({
      provider: "custom",
      key: false,
      baseUrl: upstream.baseUrl(behaviour),
      models: [behaviour],
      displayName: behaviour,
    });
  }
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
  await splitting?.close();
});

async function open(model: string, token = gateway.token, signal?: AbortSignal): Promise<Response> {
  return gateway.server.ask("/v1/chat/completions", {
    token,
    json: { model, messages, stream: true },
    ...(signal ? { signal } : {}),
  });
}

/** The server's resident memory, in bytes. */
function memory(): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.server.pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

describe("a stream that is passed on", () => {
  it("keeps every byte, wherever the provider cut it", async () => {
    const response = await open("split");
    expect(await response.text()).toBe(SPLIT);
  });

  it("ends at the provider when the caller leaves, and is recorded as stopped", async () => {
    const controller = new AbortController();
    const response = await open("steady", gateway.token, controller.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    await expect.poll(() => upstream.disconnected).toContain("steady");
    await expect.poll(() => gateway.usage().at(-1)).toMatchObject({ model: "steady", outcome: "stopped" });
  });

  it("ends with its token, and says so", async () => {
    const made = await gateway.server.ask("/api/tokens", { as: "member", json: { name: "short-lived" } });
    const { id, token } = (await made.json()) as { id: string; token: string };
    const stream = await gateway
      .openai(token)
      .chat.completions.create({ model: "steady", messages, stream: true });
    let isRevoked = false;
    const read = async () => {
      for await (const chunk of stream) {
        if (isRevoked || !chunk.choices[0]?.delta.content) continue;
        isRevoked = true;
        await revoke();
      }
    };
    const revoke = async () => {
      const gone = await gateway.server.ask(`/api/tokens/${id}`, { as: "member", method: "DELETE" });
      expect(gone.status).toBe(204);
    };
    await expect(read()).rejects.toThrow(/API token is no longer valid/);
    await expect(gateway.openai(token).models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  it("waits for a slow reader instead of filling memory", async () => {
    const { hostname, port } = new URL(gateway.server.baseUrl);
    const body = JSON.stringify({ model: "endless", messages, stream: true });
    const head = [
      "POST /v1/chat/completions HTTP/1.1",
      `Host: ${hostname}`,
      `Authorization: Bearer ${gateway.token}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    const before = memory();
    const readers = Array.from({ length: 5 }, () => {
      const socket = connect(Number(port), hostname);
      socket.pause();
      socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
      return socket;
    });
    onTestFinished(() => readers.forEach((socket) => void socket.destroy()));
    // The provider is held back when nothing more of it is taken for a while.
    let last = -1;
    await vi.waitFor(
      () => {
        const now = upstream.written();
        const still = now === last && now > 0;
        last = now;
        expect(still).toBe(true);
      },
      { timeout: 60_000, interval: 2 * PATIENCE },
    );
    // Most of it lies in the system's buffers of ten connections.
    expect(upstream.written()).toBeLessThan(100_000_000);
    // The streams take about 40 MB, and threads that start meanwhile have taken 110 more: the bound is twice the sum.
    expect(memory() - before).toBeLessThan(300_000_000);
    // The reader was slow, not the provider: the stream continues.
    const [first] = readers;
    let [read, text] = [0, ""];
    first?.on("data", (piece: Buffer) => {
      read += piece.length;
      text = piece.toString();
    });
    const held = upstream.written();
    first?.resume();
    await expect.poll(() => upstream.written()).toBeGreaterThan(held + 1_000_000);
    expect(read).toBeGreaterThan(1_000_000);
    expect(text).not.toContain("error");
    for (const socket of readers) socket.destroy();
    await expect
      .poll(() => upstream.disconnected.filter((name) => name === "endless"), {
        timeout: 60_000,
      })
      .toHaveLength(5);
  });
});

describe("several providers behind one model id", () => {
  beforeAll(async () => {
    for (const [displayName, behaviour] of [
      ["Fails", "broken"],
      ["Web page", "html"],
      ["Works", "good"],
    ] as const) {
      await gateway.addProvider({
        provider: "custom",
        key: false,
        baseUrl: upstream.baseUrl(behaviour),
        models: ["shared"],
        displayName,
      });
    }
  });

  it("answer though one of them fails and another isn't a provider, and the answer tells who did", async () => {
    const { data, response } = await gateway
      .openai()
      .chat.completions.create({ model: "shared", messages })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe("Whole.");
    expect(response.headers.get("x-gateway-provider")).toBe("Works");
    expect(response.headers.get("x-gateway-attempts")).toBe("3");
    expect(response.headers.get("x-gateway-route")).toBe("Fell back to Works after Fails, Web page failed.");
  });

  it("answer streams the same way, and all attempts are on record", async () => {
    const stream = await gateway
      .openai()
      .chat.completions.create({ model: "shared", messages, stream: true });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).toBe("The beginning ");
    await expect.poll(() => gateway.usage().filter(({ model }) => model === "shared")).toHaveLength(2);
    const route = JSON.parse(gateway.usage().at(-1)?.route ?? "{}");
    expect(route.attempts).toMatchObject([
      { provider: "Fails", outcome: "failed", code: "provider_unavailable" },
      { provider: "Web page", outcome: "failed", code: "provider_unavailable" },
      { provider: "Works", outcome: "answered" },
    ]);
  });
});

describe("all of this", () => {
  it("leaves nothing unexpected in the log", () => {
    expect(gateway.server.output).not.toMatch(/unhandled rejection|unexpected error/);
  });
});

// Last, since the console is another process afterwards.
describe("a console that stops", () => {
  it("ends what runs and has it on record, and answers again when it is back", async () => {
    // A busy machine's test sends nothing for a while, too.
    const patience = { ai: { timeout: 60_000 } };
    const saved = await gateway.server.ask("/api/settings/advanced", {
      as: "owner",
      method: "PUT",
      json: patience,
    });
    expect(saved.status).toBe(200);
    const response = await open("steady");
    const reader = response.body?.getReader();
    await reader?.read();
    const before = gateway.usage().length;
    expect(await gateway.server.stop()).toBe(0);
    let rest = "";
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      rest += new TextDecoder().decode(next.value);
    expect(rest.trimEnd().split("\n").at(-1)).toContain('"message":"The console is restarting');
    expect(gateway.usage()).toHaveLength(before + 1);
    expect(gateway.usage().at(-1)).toMatchObject({ model: "steady", outcome: "stopped" });
    await gateway.server.start();
    const answer = await gateway.openai().chat.completions.create({ model: "shared", messages });
    expect(answer.choices[0]?.message.content).toBe("Whole.");
  });
});
