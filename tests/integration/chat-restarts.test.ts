import type { LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Budget } from "~/team/budgets/budgets.schema";
import type { ChatMessage, Conversation, ToolPart } from "~/work/chat/chat.schema";
import { AIMOCK_MODEL, addMockProvider, startAimock } from "../support/aimock";
import { isWholeForm, lookInto } from "../support/faults";
import { type MockServer, startMockServer } from "../support/mock-server";
import { startServer, type TestServer } from "../support/server";

let mock: LLMock;
let far: MockServer;
let server: TestServer;
/** Answers the calls that the far end holds back. */
let held: (() => void)[] = [];

/** A program that is loaded before the console and throws in two timers when it gets a signal. */
const THROWER = `
  const fail = () => { throw new Error("A stray exception."); };
  process.on("SIGHUP", () => { setTimeout(fail); setTimeout(fail); });
`;

beforeAll(async () => {
  far = await startMockServer((_, response) => void held.push(() => response.end("{}")));
  mock = await startAimock();
  const call = {
    name: "http__request",
    arguments: { url: `${far.origin}/orders`, method: "POST", body: "1" },
  };
  mock
    .on({ userMessage: "order", hasToolResult: true }, { content: "It is ordered." })
    .on({ userMessage: "order" }, { toolCalls: [{ id: "call_1", ...call }] });
  server = await startServer({
    env: {
      QUARTERDECK_KEY_MOCK: "sk-mock",
      EGRESS_ALLOW: new URL(far.origin).host,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(THROWER)}`,
    },
  });
  const origin = new URL(mock.url).origin;
  await server.ask("/api/keys", {
    as: "owner",
    json: { provider: "custom", alias: "QUARTERDECK_KEY_MOCK", origin },
  });
  await addMockProvider(server, mock);
  const policy = { method: "PUT", json: { policy: "ask" }, as: "admin" } as const;
  expect((await server.ask("/api/tools/http.request/policy", policy)).status).toBe(200);
});

afterEach(() => {
  far.requests.length = 0;
  held = [];
});

afterAll(async () => {
  await server?.close();
  await mock?.stop();
  await far?.close();
});

const messageOf = async (id: string): Promise<ChatMessage> => {
  const response = await server.ask(`/api/ai/conversations/${id}`, { as: "member" });
  const last = ((await response.json()) as Conversation).messages.at(-1);
  if (!last) throw new Error("no message");
  return last;
};
const callOf = async (id: string) =>
  (await messageOf(id)).parts.find((part): part is ToolPart => part.type === "tool");
const statusOf = (id: string) => async () => (await messageOf(id)).status;

/** An answer whose call waits for approval. */
async function order(): Promise<string> {
  const response = await server.ask("/api/ai/chat", {
    as: "member",
    json: {
      messages: [{ role: "user", content: "order one" }],
      model: AIMOCK_MODEL,
      tools: ["http.request"],
    },
  });
  const id = response.headers.get("x-conversation-id") ?? "";
  await response.text();
  expect(await statusOf(id)()).toBe("waiting");
  return id;
}

const decide = (id: string, json: Record<string, unknown>) =>
  server.ask(`/api/ai/chat/${id}/approvals`, { as: "member", json: { toolCallId: "call_1", ...json } });

const countApproved = () =>
  lookInto(server, (raw) =>
    raw
      .prepare<[], number>("SELECT count(*) FROM audit_entries WHERE action = 'conversation.tool_approved'")
      .pluck()
      .get(),
  ) ?? 0;

const edited = () => ({ url: `${far.origin}/orders`, method: "POST", body: "2" });
const ends = {
  kill: () => server.kill(),
  "clean stop": () => server.stop(),
  "stray exception": () => server.stop("SIGHUP"),
};

const endsOr = (...names: (keyof typeof ends)[]) =>
  Object.entries(ends).filter(([name]) => isWholeForm || names.some((one) => one === name));

/** @returns the text, and whether the connection broke */
async function readAll(response: Response): Promise<{ text: string; isBroken: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
    return { text, isBroken: false };
  } catch {
    return { text, isBroken: true };
  }
}

const say = (content: string) => ({ messages: [{ role: "user", content }], model: AIMOCK_MODEL });
const RESTARTING = "The console is restarting";

describe("an open answer when the console is stopped", () => {
  it("says so in each protocol, and a client that resumes gets the rest", async () => {
    const token = await server.createToken("member", ["chat.use", "gateway.use"]);
    const chat = (accept: string) =>
      server.ask("/api/ai/chat", { as: "member", json: say("endless please"), headers: { accept } });
    const v1 = (path: string, more: object) =>
      server.ask(path, { token, json: { ...say("endless please"), stream: true, ...more } });
    mock.onMessage("forever", { content: "word ".repeat(2000) }, { chunkSize: 5, latency: 100 });
    const responses = await Promise.all([
      chat("text/event-stream"),
      chat("text/plain"),
      v1("/v1/chat/completions", say("forever")),
      v1("/v1/messages", { ...say("forever"), max_tokens: 100 }),
      server.ask("/api/personas/try", {
        as: "member",
        json: { question: "forever", defaultModel: AIMOCK_MODEL },
      }),
    ]);
    const id = responses[0]?.headers.get("x-conversation-id") ?? "";
    const lengthOf = async () => (await messageOf(id)).content.length;
    await expect.poll(lengthOf).toBeGreaterThan(20);
    const compared = await server.ask("/api/ai/comparisons", {
      as: "member",
      json: { prompt: "forever", models: [AIMOCK_MODEL, "quarterdeck-offline"] },
    });
    const comparison = ((await compared.json()) as { id: string }).id;
    const pages = [
      `/chat/${id}/live`,
      `/compare/${comparison}/live`,
      `/api/ai/comparisons/${comparison}/stream`,
    ];
    const opened = await Promise.all(pages.map((path) => server.ask(path, { as: "member" })));
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200]);
    const reading = [...responses, ...opened].map(readAll);
    expect(await server.stop()).toBe(0);
    const [events, text, openai, anthropic, trial, page, columns, both] = await Promise.all(reading);
    expect(events?.text.trimEnd().split("\n").at(-1)).toContain(`"errorText":"${RESTARTING}`);
    expect(events?.text).not.toContain("[DONE]");
    expect(text).toMatchObject({ isBroken: true, text: expect.stringContaining("word0") });
    expect(openai).toMatchObject({ isBroken: false });
    expect(openai?.text.trimEnd().split("\n").at(-1)).toContain(`{"error":{"message":"${RESTARTING}`);
    expect(anthropic?.text).toContain(
      `event: error\ndata: {"type":"error","error":{"type":"overloaded_error"`,
    );
    expect(trial?.isBroken).toBe(false);
    expect(trial?.text).toContain(`{"type":"error","errorText":"${RESTARTING}`);
    expect(page?.text).toMatch(new RegExp(`${RESTARTING}.*</html>`, "s"));
    expect(columns?.text).toMatch(new RegExp(`${RESTARTING}.*</html>`, "s"));
    expect(columns?.text).not.toContain("http-equiv");
    expect(both?.text.trimEnd().split("\n").at(-1)).toContain(`"errorText":"${RESTARTING}`);
    await server.start();
    const resumed = await server.ask(`/api/ai/chat/${id}/stream`, {
      as: "member",
      headers: { "last-event-id": "1" },
    });
    expect((await readAll(resumed)).text).toContain("[DONE]");
  });
});

describe("an exception that nothing caught", () => {
  it("is logged and ends the process in order, and the next start goes on with open work", async () => {
    const step = { type: "http_request", config: { method: "GET", url: `${far.origin}/slow` } };
    const workflow = { name: "Slow", triggers: [{ type: "manual" }], steps: [step] };
    const made = await server.ask("/api/workflows", { as: "member", json: workflow });
    const { id: workflowId } = (await made.json()) as { id: string };
    const begun = await server.ask(`/api/workflows/run/${workflowId}`, { as: "member", json: {} });
    const { id: runId } = (await begun.json()) as { id: string };
    await expect.poll(() => far.requests.length).toBe(1);
    const response = await server.ask("/api/ai/chat", { as: "member", json: say("endless please") });
    const id = response.headers.get("x-conversation-id") ?? "";
    const reading = readAll(response);
    await expect.poll(async () => (await messageOf(id)).content.length).toBeGreaterThan(20);
    expect(await server.stop("SIGHUP")).toBe(1);
    const logged = server.output.split("\n").filter((line) => line.includes("uncaught exception"));
    const line = expect.stringMatching(/"level":50,.*A stray exception\.\\n +at Timeout/);
    expect(logged).toEqual([line, line]);
    expect((await reading).text.trimEnd().split("\n").at(-1)).toContain(`"errorText":"${RESTARTING}`);
    await server.start();
    expect(await messageOf(id)).toMatchObject({
      status: "interrupted",
      content: expect.stringContaining("word0 word1"),
    });
    await expect.poll(() => far.requests.length).toBe(2);
    for (const answer of held) answer();
    const stateOf = async () => {
      const run = await server.ask(`/api/runs/${runId}`, { as: "member" });
      return ((await run.json()) as { state: string }).state;
    };
    await expect.poll(stateOf).toBe("succeeded");
  });
});

describe("a budget over a crash", () => {
  it("counts the calls that it cut off", async () => {
    const budget = { target: "person:usr_member", unit: "tokens", period: "day", limit: 100_000 };
    expect((await server.ask("/api/budgets", { as: "admin", json: budget })).status).toBe(201);
    const spent = async () => {
      const [found] = (await (await server.ask("/api/budgets", { as: "admin" })).json()) as Budget[];
      return { spent: found?.spent ?? 0, reserved: found?.reserved };
    };
    const before = (await spent()).spent;
    const response = await server.ask("/api/ai/chat", { as: "member", json: say("endless please") });
    const id = response.headers.get("x-conversation-id") ?? "";
    await expect.poll(async () => (await messageOf(id)).content.length).toBeGreaterThan(200);
    await server.kill();
    await server.start();
    const after = await spent();
    expect(after.reserved).toBe(0);
    // About a token for four letters of the text, and less than the whole reservation.
    expect(after.spent - before).toBeGreaterThan(30);
    expect(after.spent - before).toBeLessThan(4096);
  });
});

describe("a tool call of a chat over a restart", () => {
  it.each(endsOr("kill", "stray exception"))(
    "is never repeated by itself after a %s in it",
    async (_, end) => {
      const id = await order();
      expect((await decide(id, { decision: "approve", input: edited() })).status).toBe(200);
      await expect.poll(() => far.requests.length).toBe(1);
      await end();
      await server.start();
      const call = await callOf(id);
      expect(call).toMatchObject({ state: "waiting", input: edited(), approval: { reason: "interrupted" } });
      expect(far.requests).toHaveLength(1);
      expect((await decide(id, { decision: "refuse" })).status).toBe(200);
      await expect.poll(statusOf(id)).toBe("complete");
      expect(await callOf(id)).toMatchObject({ error: expect.stringContaining("may have taken effect") });
      expect(far.requests).toHaveLength(1);
    },
  );

  it("runs again once its owner says so", async () => {
    const id = await order();
    await decide(id, { decision: "approve", input: edited() });
    await expect.poll(() => far.requests.length).toBe(1);
    await server.kill();
    await server.start();
    await decide(id, { decision: "approve" });
    await expect.poll(() => far.requests.map(({ body }) => body)).toEqual(["2", "2"]);
    for (const answer of held) answer();
    await expect.poll(statusOf(id)).toBe("complete");
    expect(await callOf(id)).toMatchObject({
      state: "done",
      approval: { decision: "approved", edited: true },
    });
  });

  it.each(endsOr("kill"))("keeps its decision over a %s right after the answer", async (_, end) => {
    const ids = [await order(), await order(), await order()];
    const before = countApproved();
    const answers = await Promise.all(ids.map((id) => decide(id, { decision: "approve", input: edited() })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await end();
    const sent = far.requests.length;
    await server.start();
    expect(countApproved() - before).toBe(ids.length);
    // Each was begun before and asks, or was not and continues by itself: none is forgotten, none made twice.
    await expect
      .poll(async () => {
        const calls = await Promise.all(ids.map(callOf));
        const interrupted = calls.filter((call) => call?.approval?.reason === "interrupted").length;
        return [interrupted + (far.requests.length - sent), far.requests.length >= sent];
      })
      .toEqual([ids.length, true]);
    for (const call of await Promise.all(ids.map(callOf))) expect(call).toMatchObject({ input: edited() });
    expect(far.requests.map(({ body }) => body)).toEqual(far.requests.map(() => "2"));
    expect(far.requests.length).toBeLessThanOrEqual(ids.length);
    for (const answer of held) answer();
  });
});
