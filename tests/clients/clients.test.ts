import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAudioServer } from "../support/audio-server";
import { type Gateway, openGateway } from "../support/gateway";
import { startImageServer } from "../support/image-server";
import { type MockServer, startMockServer } from "../support/mock-server";
import { startRerankServer } from "../support/rerank-server";
import { startServer, type TestServer } from "../support/server";
import { CLIENTS, WEBHOOKS } from "./clients";

/** Set by scripts/test-clients.mjs; without Python its clients are left out. */
const PYTHON = process.env.CLIENTS_PYTHON;
const PROGRAMS = resolve("tests/clients/programs");
/** In ms; some take ten seconds to load. */
const TIMEOUT = 170_000;

/** A hundred words in small pieces, slow enough to be stopped. */
const LONG = Array.from({ length: 100 }, (_, index) => `word${index}`).join(" ");

let mock: LLMock;
/** What plays images, audio and rerankers. */
const others: MockServer[] = [];
let gateway: Gateway;

/** By protocol: the model that is asked in it, which the scripted server's own list doesn't have. Each with one whose provider refuses by a limit or is overloaded. */
const ROUTES = {
  "passed on": {
    MODEL: "gpt-4.1-passed",
    RESPONSES_MODEL: "gpt-5-passed",
    MESSAGES_MODEL: "claude-next",
    LIMITED_MODEL: "limited-passed",
    BUSY_MODEL: "busy-passed",
    IMAGE_MODEL: "gpt-image-1",
    RERANK_MODEL: "cohere-rerank",
  },
  translated: {
    MODEL: "claude-next",
    RESPONSES_MODEL: "claude-next",
    MESSAGES_MODEL: "gpt-4.1-passed",
    LIMITED_MODEL: "limited-translated",
    BUSY_MODEL: "busy-translated",
    IMAGE_MODEL: "gpt-image-1",
    RERANK_MODEL: "tei-rerank",
  },
};

beforeAll(async () => {
  mock = new LLMock({ port: 0, host: "127.0.0.1", strict: true, logLevel: "silent" });
  const call = { id: "call_1", name: "look_up", arguments: { city: "Wien" } };
  const tooLong = {
    message: "This model's maximum context length is 8 tokens.",
    code: "context_length_exceeded",
  };
  mock
    .on({ userMessage: "weather", hasToolResult: true }, { content: "It is 21 degrees." })
    .on({ userMessage: "weather" }, { toolCalls: [call] })
    .onMessage("greet", { content: "Hello from the other end." })
    .onMessage("picture", { content: "One pixel." })
    .onMessage("as json", { content: '{"name":"Ada","born":1815}' })
    .onMessage("long story", { content: LONG }, { chunkSize: 6, latency: 20 })
    .onMessage("too long", { error: tooLong, status: 400 })
    .onMessage("slow down", { error: { message: "Rate limit reached" }, status: 429, retryAfter: 7 })
    .onMessage("overloaded", { error: { message: "Overloaded" }, status: 503 })
    .onEmbedding("embed me", { embedding: [0.25, -0.5, 1] });
  await mock.start();
  gateway = await openGateway({ retryAttempts: 0 });
  const baseUrl = `${mock.url}/v1`;
  await gateway.addProvider({
    provider: "openai",
    baseUrl,
    models: ["gpt-4.1-passed", "text-embedding-3-small"],
  });
  await gateway.addProvider({ provider: "openai", api: "responses", baseUrl, models: ["gpt-5-passed"] });
  await gateway.addProvider({ provider: "anthropic", baseUrl, models: ["claude-next"] });
  const [images, audio, rerank] = await Promise.all([
    startImageServer(),
    startAudioServer(),
    startRerankServer(),
  ]);
  others.push(images, audio, rerank);
  for (const [provider, origin, ...models] of [
    ["custom", `${images.origin}/v1`, "gpt-image-1"],
    ["custom", `${audio.origin}/v1`, "whisper-1", "tts-1"],
    ["custom", `${rerank.origin}/cohere`, "cohere-rerank"],
    ["custom", `${rerank.origin}/tei`, "tei-rerank"],
  ] as const)
    await gateway.addProvider({ provider, baseUrl: origin, models, key: false });
  // Of their own: what refuses is paused for everyone.
  for (const name of ["limited", "busy"]) {
    await gateway.addProvider({ provider: "openai", baseUrl, models: [`${name}-passed`] });
    await gateway.addProvider({ provider: "anthropic", baseUrl, models: [`${name}-translated`] });
  }
});
afterAll(async () => {
  await gateway?.close();
  await mock?.stop();
  await Promise.all(others.map((server) => server.close()));
});

interface Result {
  feature: string;
  ok: boolean;
  reason?: string;
}

async function runProgram(program: string, env: Record<string, string>): Promise<Result[]> {
  const path = resolve(PROGRAMS, program);
  const { stdout } = await promisify(execFile)(
    program.endsWith(".py") ? (PYTHON ?? "python3") : process.execPath,
    [path],
    {
      env: { NODE_ENV: "test", PATH: process.env.PATH ?? "", HOME: gateway.server.dataDir, ...env },
      timeout: TIMEOUT,
      maxBuffer: 10_000_000,
    },
  );
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Result);
}

const runnable = CLIENTS.filter(({ program }) => PYTHON || !program.endsWith(".py"));

describe.each(runnable)("$name", ({ program, features }) => {
  describe.each(Object.entries(ROUTES))("%s", (_, models) => {
    let results: Result[] = [];

    beforeAll(async () => {
      const { server, token } = gateway;
      results = await runProgram(program, { CONSOLE: server.baseUrl, TOKEN: token, ...models });
    }, TIMEOUT);

    it.each(features)("%s", (feature) => {
      expect(results.find((result) => result.feature === feature)).toEqual({ feature, ok: true });
    });

    it("has no other feature", () => {
      expect(results.map(({ feature }) => feature).sort()).toEqual([...features].sort());
    });
  });
});

describe("webhooks", () => {
  const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  let server: TestServer;
  let receiver: MockServer;
  let results: Result[];

  beforeAll(async () => {
    receiver = await startMockServer((_, response) => response.writeHead(204).end());
    server = await startServer({
      env: { QUARTERDECK_KEY_WEBHOOK: SECRET, QUARTERDECK_KEY_HOOK: SECRET, EGRESS_ALLOW: "127.0.0.1" },
    });
    const ask = async (method: string, path: string, json: unknown) => {
      const response = await server.ask(path, { method, as: "owner", json });
      const text = await response.text();
      expect(response.status, text).toBeLessThan(300);
      return text;
    };
    const notifications = { enableWebhooks: true, webhookUrl: `${receiver.origin}/hook` };
    await ask("PUT", "/api/settings/advanced", { notifications });
    await ask("POST", "/api/notifications/channels/webhook/test", {});
    const key = await ask("POST", "/api/keys", {
      provider: "other",
      alias: "QUARTERDECK_KEY_HOOK",
      origin: "https://sender.example.com",
    });
    const config = { signatureKey: JSON.parse(key).id, signature: "standard" };
    const workflow = await ask("POST", "/api/workflows", {
      name: "Hooked",
      triggers: [{ id: "hook", type: "webhook", config }],
      steps: [{ type: "log", config: { message: "x" } }],
    });
    const hooks = await server.ask(`/api/workflows/${JSON.parse(workflow).id}/webhooks`, { as: "owner" });
    const [path = ""] = /\/api\/hooks\/[\w-]+/.exec(await hooks.text()) ?? [];
    const [sent] = receiver.requests;
    results = await runProgram("webhooks.mjs", {
      SECRET,
      HOOK: server.baseUrl + path,
      SENT_BODY: sent?.body ?? "",
      SENT_HEADERS: JSON.stringify(sent?.headers ?? {}),
    });
  }, TIMEOUT);
  afterAll(async () => {
    await server?.close();
    await receiver?.close();
  });

  it.each(WEBHOOKS)("%s", (feature) => {
    expect(results.find((result) => result.feature === feature)).toEqual({ feature, ok: true });
  });
});
