import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { plainBrowser } from "../support/forms";
import { type Gateway, openGateway } from "../support/gateway";
import { type MockServer, startMockServer } from "../support/mock-server";
import { startRerankServer } from "../support/rerank-server";

// Chat and programs pass one guard. The model repeats what it got, or says what is blocked, letter by letter.
let gateway: Gateway;
let upstream: MockServer;

const BLOCKED = "red valve";
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

interface Sent {
  model: string;
  stream?: boolean;
  messages: { role: string; content: string | { text: string }[] }[];
}

beforeAll(async () => {
  upstream = await startMockServer((request, response) => {
    if (request.method === "GET") return void response.end('{"data":[]}');
    const { model, stream, messages } = JSON.parse(request.text) as Sent;
    const content = messages.at(-1)?.content ?? "";
    const asked = typeof content === "string" ? content : content.map(({ text }) => text).join("");
    const said = model === "leaks" ? `Now open the ${BLOCKED} at once` : `You said: ${asked}`;
    if (stream) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const letters = [...said].map((letter) => chunk({ content: letter })).join("");
      return void response.end(
        `${chunk({ role: "assistant", content: "" })}${letters}${chunk({}, "stop")}data: [DONE]\n\n`,
      );
    }
    response.writeHead(200, { "content-type": "application/json" });
    const choices = [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }];
    response.end(
      JSON.stringify({
        id: "c",
        object: "chat.completion",
        created: 1,
        model,
        choices,
        usage: { prompt_tokens: 1, completion_tokens: 1 },
      }),
    );
  });
  gateway = await openGateway({ retryAttempts: 0 });
  await gateway.addProvider({
    provider: "custom",
    key: false,
    baseUrl: `${upstream.origin}/v1`,
    models: ["echoes", "leaks"],
  });
  await save({ maskPii: true, blocked: BLOCKED });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

async function save(json: object): Promise<void> {
  const response = await gateway.server.ask("/api/guardrails", { as: "owner", method: "PUT", json });
  expect(response.status).toBe(200);
}

const QUESTION = "Write to ada@example.org";
const PATHS = {
  "/v1/chat/completions": (content: string) => ({ messages: [{ role: "user", content }] }),
  "/v1/responses": (content: string) => ({ input: content }),
  "/v1/messages": (content: string) => ({ max_tokens: 100, messages: [{ role: "user", content }] }),
} as const;

async function call(
  path: keyof typeof PATHS,
  model: string,
  stream: boolean,
  text = QUESTION,
  token = gateway.token,
) {
  const response = await gateway.server.ask(path, { token, json: { model, stream, ...PATHS[path](text) } });
  return { status: response.status, text: await response.text() };
}

/** The text of a stream's deltas, or of a whole response, in any of the protocols. */
function textOf(body: string): string {
  const parts: string[] = [];
  for (const line of body.startsWith("{") ? [`data: ${body}`] : body.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const event = JSON.parse(line.slice(6)) as {
      type?: string;
      delta?: string | { text?: string };
      choices?: { delta?: { content?: string }; message?: { content?: string } }[];
      content?: { text?: string }[];
      output?: { content?: { text?: string }[] }[];
    };
    const { delta, choices, content, output } = event;
    if (typeof delta === "string" && event.type === "response.output_text.delta") parts.push(delta);
    else if (typeof delta === "object") parts.push(delta.text ?? "");
    for (const choice of choices ?? []) parts.push(choice.delta?.content ?? choice.message?.content ?? "");
    for (const part of [...(content ?? []), ...(output ?? []).flatMap((item) => item.content ?? [])])
      parts.push(part.text ?? "");
  }
  return parts.join("");
}

describe.each(Object.keys(PATHS) as (keyof typeof PATHS)[])("%s", (path) => {
  describe.each([true, false])("streamed: %s", (stream) => {
    it("hides personal data from the provider and gives it back to the caller", async () => {
      const { status, text } = await call(path, "echoes", stream);
      expect([status, textOf(text)]).toEqual([200, `You said: ${QUESTION}`]);
      expect(text).not.toContain("EMAIL_1");
      expect(upstream.requests[0]?.body).toContain("Write to [EMAIL_1]");
      expect(upstream.requests[0]?.body).not.toContain("ada@");
    });

    it("refuses a blocked request before it leaves", async () => {
      const { status, text } = await call(path, "echoes", stream, "Open the Red\u200b  Valve");
      expect(status).toBe(400);
      expect(text).toContain('\\"Block list\\" refused this request');
      if (path !== "/v1/messages") expect(text).toContain('"code":"content_filter"');
      else expect(text).toContain('"type":"invalid_request_error"');
      expect(upstream.requests).toEqual([]);
    });

    it("gives out nothing of a blocked phrase in an answer, and records the call", async () => {
      const { status, text } = await call(path, "leaks", stream, "Go on");
      expect(status).toBe(stream ? 200 : 400);
      expect(text).toContain('\\"Block list\\" refused this answer');
      expect(textOf(text)).not.toMatch(/red/);
      await expect
        .poll(() => gateway.usage().at(-1))
        .toMatchObject({ outcome: "error", error_code: "guardrail" });
    });
  });
});

it("a ranking shows the caller's own documents, which its model got masked", async () => {
  const server = await startRerankServer();
  await gateway.addProvider({
    provider: "custom",
    baseUrl: `${server.origin}/cohere`,
    models: ["ranks"],
    key: false,
  });
  const documents = [`A ship. ${QUESTION}`, "Tea."];
  const ranked = await gateway.server.ask("/v1/rerank", {
    token: gateway.token,
    json: { model: "ranks", query: "ship", documents, return_documents: true },
  });
  const { results } = (await ranked.json()) as { results: { index: number; document: { text: string } }[] };
  expect(results.map(({ index, document }) => document.text === documents[index])).toEqual([true, true]);
  expect(server.requests.at(-1)?.body).toContain("[EMAIL_1]");
  await server.close();
});

it("a token adds a phrase, and can't take one away", async () => {
  const token = await gateway.newToken({ scopes: ["gateway.use"], guardrails: { blocked: "blue valve" } });
  const statuses = [];
  for (const text of ["a blue valve", `a ${BLOCKED}`, "a valve"])
    statuses.push((await call("/v1/chat/completions", "echoes", false, text, token)).status);
  expect(statuses).toEqual([400, 400, 200]);
});

it("a conversation is stored as it was written, its refusals as the answer's error", async () => {
  const ask = async (model: string, content: string) => {
    const json = { model, messages: [{ role: "user", content }] };
    const response = await gateway.server.ask("/api/ai/chat", { as: "member", json });
    const id = response.headers.get("x-conversation-id");
    await response.text();
    const stored = await gateway.server.ask(`/api/ai/conversations/${id}`, { as: "member" });
    const { messages } = (await stored.json()) as {
      messages: { parts: { text?: string }[]; error?: string }[];
    };
    return messages.map(({ parts, error }) => parts.map(({ text }) => text ?? "").join("") + (error ?? ""));
  };
  expect(await ask("echoes", QUESTION)).toEqual([QUESTION, `You said: ${QUESTION}`]);
  expect(upstream.requests[0]?.body).not.toContain("ada@");
  const [, refused] = await ask("leaks", "Go on");
  expect(refused).toContain('The guardrail "Block list" refused this answer');
  expect(refused).not.toContain(BLOCKED);
});

it("the screen tries a text, counts the refusals and leads to the audit log", async () => {
  const browser = plainBrowser(gateway.server, "owner");
  const page = await browser.open("/settings/guardrails");
  expect(page.text).toContain("Last 30 days");
  const tried = await page.submit("try", { text: QUESTION });
  expect(tried.text).toContain("Write to [EMAIL_1]");
  const entries = await gateway.server.ask("/api/audit?action=guardrail.refused", { as: "owner" });
  const text = await entries.text();
  expect(text).toContain("Block list");
  expect(text.toLowerCase()).not.toContain(BLOCKED);
});
