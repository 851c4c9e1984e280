import { join } from "node:path";
import Database from "better-sqlite3";
import { startHubs } from "../../support/hubs";
import { PNG_PIXEL } from "../../support/image-server";
import { startMailServer } from "../../support/mail-server";
import { type MockServer, startMockServer } from "../../support/mock-server";
import { startPushService } from "../../support/push-service";
import { startServer } from "../../support/server";
import type { Installation } from "./effect";

/** Value of `QUARTERDECK_KEY_WEBHOOK`. */
export const WEBHOOK_SECRET = "the secret of the webhook";
/** How long providers but `/second` wait with the model "paced", in milliseconds. */
const PACE = 300;
/** With "paced-too": longer than ten times the shortest timeout, since these providers are nearby. */
const LATE = 1500;

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

/** A vector for each text, of its letters. */
function vectorsFor(body: string): unknown {
  const { input } = JSON.parse(body) as { input: string[] };
  const data = input.map((text, index) => ({
    object: "embedding",
    index,
    embedding: Array.from({ length: 8 }, (_, n) => (text.charCodeAt(n % text.length) % 17) - 8.5),
  }));
  return { object: "list", data, usage: { prompt_tokens: 3, total_tokens: 3 } };
}

function openModels(): Promise<MockServer> {
  return startMockServer((request, response) => {
    const [, provider] = /^\/(\w+)\/chat/.exec(request.url ?? "") ?? [];
    const json = (body: unknown) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.url?.endsWith("/embeddings")) return json(vectorsFor(request.text));
    if (request.url?.endsWith("/images/generations"))
      return json({ created: 1, data: [{ b64_json: PNG_PIXEL }] });
    if (request.url?.endsWith("/moderations") && !request.url.startsWith("/down/"))
      return json({ id: "m1", model: "m", results: [{ flagged: false, categories: {} }] });
    if (request.url?.endsWith("/analyze")) return json([]);
    if (request.url?.endsWith("/audio/transcriptions"))
      return json({ text: /name="model"\r\n\r\n(\S+)/.exec(request.text)?.[1] });
    if (request.url?.endsWith("/audio/speech")) {
      response.writeHead(200, { "content-type": "audio/mpeg" }).end("ID3");
      return;
    }
    if (request.url?.startsWith("/down/")) {
      response.writeHead(503).end();
      return;
    }
    if (!provider) return json({ object: "list", data: [] });
    const { model } = JSON.parse(request.text) as { model: string };
    if (provider !== "second" && /^broken/.test(model)) {
      response.writeHead(500, { "content-type": "application/json" });
      response.end('{"error":{"message":"The server had an error","type":"server_error"}}');
      return;
    }
    const answer = () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (model === "draws" && !request.text.includes('"tool"')) {
        const call = { name: "image__generate", arguments: '{"prompt":"A ship"}' };
        const delta = { tool_calls: [{ index: 0, id: "call_draw", type: "function", function: call }] };
        response.end(`${chunk(delta)}${chunk({}, "tool_calls")}data: [DONE]\n\n`);
        return;
      }
      const content = model === "writes-mail" ? "Ask bob@example.org" : provider;
      response.end(`${chunk({ role: "assistant", content })}${chunk({}, "stop")}data: [DONE]\n\n`);
    };
    if (provider === "late") setTimeout(answer, LATE);
    else if (provider !== "second" && /^paced/.test(model)) setTimeout(answer, PACE);
    else answer();
  });
}

/** A console with two model providers, a mail server, a push service and a host for webhooks. */
export async function openInstallation(): Promise<Installation & { close: () => Promise<void> }> {
  const [upstream, mail, push, hubs] = await Promise.all([
    openModels(),
    startMailServer(),
    startPushService(),
    startHubs(),
  ]);
  const server = await startServer({
    env: {
      ...hubs.env,
      EGRESS_ALLOW: "127.0.0.1",
      LOG_LEVEL: "",
      TRUST_PROXY: "1",
      SMTP_URL: mail.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${upstream.origin}/traces`,
      OTEL_BSP_SCHEDULE_DELAY: "200",
      OPENAI_API_KEY: "sk-test-openai",
      ANTHROPIC_API_KEY: "sk-test-anthropic",
      QUARTERDECK_KEY_SLACK: `${upstream.origin}/slack`,
      QUARTERDECK_KEY_OTHER_SLACK: `${upstream.origin}/other-slack`,
      QUARTERDECK_KEY_WEBHOOK: WEBHOOK_SECRET,
      QUARTERDECK_KEY_SCANS: "the key of the server that reads scans",
      QUARTERDECK_KEY_OTHER_SECRET: "another secret of the webhook",
    },
  });
  const add = async (path: string, json: unknown) => {
    const response = await server.ask(path, { as: "owner", json });
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string };
  };
  // One that fails is left out for a while, so that each setting has a provider of its own.
  for (const [name, models] of Object.entries({
    first: ["calm", "paced", "gpt-4"],
    failing: ["broken"],
    second: ["paced", "broken", "quick", "writes-mail"],
    painter: ["draws", "flux-one", "flux-two"],
    unstable: ["broken-too"],
    late: ["paced-too"],
    down: [],
  }))
    await add("/api/providers", {
      provider: "custom",
      displayName: name,
      enabled: true,
      config: { baseUrl: `${upstream.origin}/${name}`, models },
    });
  for (const { provider, alias, models } of [
    {
      provider: "openai",
      alias: "OPENAI_API_KEY",
      models: ["gpt-4o", "text-embedding-3-small", "text-embedding-3-large"],
    },
    { provider: "anthropic", alias: "ANTHROPIC_API_KEY", models: ["claude-sonnet-4-5"] },
  ]) {
    await add("/api/keys", { provider, alias, origin: upstream.origin });
    await add("/api/providers", {
      provider,
      displayName: provider,
      enabled: true,
      config: { baseUrl: `${upstream.origin}/${provider}`, models },
    });
  }
  const scans = { provider: "other", alias: "QUARTERDECK_KEY_SCANS", origin: upstream.origin };
  const { id: scanKey } = await add("/api/keys", scans);
  for (const [title, text] of [
    ["Anchors", "Anchors hold ships of forty tons in a storm."],
    ["Ropes", "A rope holds what the anchors of small ships can't."],
  ]) {
    const response = await server.ask("/api/rag/ingest", { as: "owner", json: { title, text } });
    if (!response.ok) throw new Error(await response.text());
  }
  return {
    server,
    upstream,
    scanKey,
    push,
    pages: new Map(),
    async close() {
      await server.close();
      await Promise.all([upstream.close(), mail.close(), push.close(), hubs.close()]);
    },
  };
}

/** Looks into or changes the database beside the running console. */
export function inDatabase<T>({ server }: Installation, run: (database: Database.Database) => T): T {
  const database = new Database(join(server.dataDir, "quarterdeck.sqlite"));
  try {
    database.pragma("busy_timeout = 10000");
    return run(database);
  } finally {
    database.close();
  }
}

interface Answer {
  address: string;
  status: string;
  text: string;
  error: string | undefined;
}

/** Asks a model in chat and waits for the whole answer. */
export async function askModel(
  { server }: Installation,
  model: string,
  earlier: readonly { role: string; content: string }[] = [],
  tools?: readonly string[],
): Promise<Answer> {
  const json = { model, tools, messages: [...earlier, { role: "user", content: "A question" }] };
  const response = await server.ask("/api/ai/chat", { as: "member", json });
  const id = response.headers.get("x-conversation-id");
  const body = await response.text();
  if (!id) throw new Error(`${model}: ${response.status} ${body}`);
  const stored = await server.ask(`/api/ai/conversations/${id}`, { as: "member" });
  const { messages } = (await stored.json()) as {
    messages: { id: string; status: string; parts: { type: string; text?: string }[]; error?: string }[];
  };
  const last = messages.at(-1);
  return {
    address: `/api/ai/conversations/${id}/messages/${last?.id}`,
    status: last?.status ?? "",
    text: (last?.parts ?? []).map(({ text }) => text ?? "").join(""),
    error: last?.error,
  };
}
