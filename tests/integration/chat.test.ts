import type { LLMock } from "@copilotkit/aimock";
import { createParser } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { emptyAnswer, textOf } from "~/work/chat/answer-state.shared";
import type { Conversation } from "~/work/chat/chat.schema";
import { foldChunk } from "~/work/chat/fold-answer.shared";
import { AIMOCK_MODEL, addMockProvider, startAimock } from "../support/aimock";
import { startServer, type TestServer } from "../support/server";

let mock: LLMock;
let server: TestServer;

interface Event {
  id: number;
  chunk: StreamChunk;
}

/** Reads events until the stream ends, or `until` says it is enough. */
async function read(response: Response, until: (events: Event[]) => boolean = () => false) {
  const events: Event[] = [];
  let done = false;
  const parser = createParser({
    onEvent: ({ id, data }) => {
      if (data === "[DONE]") done = true;
      else events.push({ id: Number(id), chunk: StreamChunk.parse(JSON.parse(data)) });
    },
  });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) break;
    parser.feed(decoder.decode(next.value, { stream: true }));
    if (until(events)) {
      await reader?.cancel();
      break;
    }
  }
  return { events, done };
}

const answerOf = (events: Event[]) => events.map(({ chunk }) => chunk).reduce(foldChunk, emptyAnswer());
const say = (content: string, more: Record<string, unknown> = {}) => ({
  messages: [{ role: "user", content }],
  model: AIMOCK_MODEL,
  ...more,
});
const deltas = (count: number) => (events: Event[]) =>
  events.filter(({ chunk }) => chunk.type === "text-delta").length >= count;

async function conversation(id: string): Promise<Conversation> {
  return (await (await server.ask(`/api/ai/conversations/${id}`, { as: "member" })).json()) as Conversation;
}

/** Waits until the stored answer has left the streaming state. */
async function settled(id: string): Promise<Conversation> {
  await expect.poll(async () => (await conversation(id)).messages.at(-1)?.status).not.toBe("streaming");
  return conversation(id);
}

async function begin(content: string, more: Record<string, unknown> = {}) {
  const response = await server.ask("/api/ai/chat", { as: "member", json: say(content, more) });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return { response, id: response.headers.get("x-conversation-id") ?? "" };
}

beforeAll(async () => {
  mock = await startAimock();
  server = await startServer({ env: { QUARTERDECK_KEY_MOCK: "sk-mock" } });
  const origin = new URL(mock.url).origin;
  const key = await server.ask("/api/keys", {
    as: "owner",
    json: { provider: "custom", alias: "QUARTERDECK_KEY_MOCK", origin },
  });
  expect(key.status, await key.clone().text()).toBe(201);
  await addMockProvider(server, mock);
});

afterAll(async () => {
  await server?.close();
  await mock?.stop();
});

describe("POST /api/ai/chat", () => {
  it("streams the AI SDK's protocol with increasing ids and stores the same answer", async () => {
    const { response, id } = await begin("greet me");
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    const { events, done } = await read(response);
    expect(done).toBe(true);
    const ids = events.map((event) => event.id);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    const answer = answerOf(events);
    expect(textOf(answer.parts)).toBe("Hello from the other end.");
    const stored = await settled(id);
    expect(stored.messages.map((message) => [message.role, message.status])).toEqual([
      ["user", "complete"],
      ["assistant", "complete"],
    ]);
    expect(stored.messages[1]?.parts).toEqual(answer.parts);
  });

  it("answers bare text where text is preferred", async () => {
    const response = await server.ask("/api/ai/chat", {
      as: "member",
      json: say("greet me"),
      headers: { accept: "text/plain" },
    });
    expect(response.headers.get("content-type")).toContain("text/plain");
    expect(await response.text()).toBe("Hello from the other end.");
  });

  it("calls a tool and continues with its result", async () => {
    const { response } = await begin("remember this", { tools: ["kv.set", "kv.get"] });
    const { events } = await read(response);
    const answer = answerOf(events);
    expect(answer.parts.find((part) => part.type === "tool")).toMatchObject({
      toolName: "kv.set",
      state: "done",
      input: { key: "greeting", value: "hello" },
    });
    expect(textOf(answer.parts)).toBe("I have kept it.");
  });

  it("continues with a stored conversation and keeps the caller's earlier messages in a new one", async () => {
    const first = await server.ask("/api/ai/chat", {
      as: "member",
      json: {
        model: AIMOCK_MODEL,
        messages: [
          { role: "user", content: "before" },
          { role: "assistant", content: "yes" },
          { role: "user", content: "greet me" },
        ],
      },
    });
    const id = first.headers.get("x-conversation-id") ?? "";
    await read(first);
    await settled(id);
    await read((await begin("greet again", { conversationId: id })).response);
    const stored = await settled(id);
    expect(stored.messages.map((message) => message.content)).toEqual([
      "before",
      "yes",
      "greet me",
      "Hello from the other end.",
      "greet again",
      "Hello from the other end.",
    ]);
    const request = mock.getLastRequest()?.body as { messages?: { role: string }[] } | undefined;
    expect(request?.messages?.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
  });

  it.each([
    ["an unknown model", { model: "gpt-99" }, "gpt-99"],
    ["an unknown tool", { tools: ["rm.rf"] }, "rm.rf"],
    ["an unknown persona", { persona: "Nobody" }, "Nobody"],
    ["too many steps", { maxSteps: 11 }, "Max Steps"],
    ["a blank message", { messages: [{ role: "user", content: "  " }] }, "Enter a message"],
    [
      "a message of 900,000 characters",
      { messages: [{ role: "user", content: "x".repeat(900_000) }] },
      "at most",
    ],
    ["a system role", { messages: [{ role: "system", content: "x" }] }, "not system"],
    ["no message", { messages: [] }, "Enter at least one message"],
    ["an assistant's last word", { messages: [{ role: "assistant", content: "x" }] }, "last message"],
  ])("refuses %s by name before the stream opens", async (_, change, name) => {
    const response = await server.ask("/api/ai/chat", { as: "member", json: { ...say("greet"), ...change } });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { detail: string }).detail).toContain(name);
  });

  it("is closed to viewers and to other people's conversations", async () => {
    expect((await server.ask("/api/ai/chat", { as: "viewer", json: say("greet") })).status).toBe(403);
    const { response, id } = await begin("greet me");
    await read(response);
    const screens = ["", "/live", "/share", "/export?format=json", "/messages", "/sources/call_1"];
    const calls = ["", "/export?format=json", "/messages", "/sharing"];
    for (const path of [
      ...screens.map((screen) => `/chat/${id}${screen}`),
      `/chat/shared/${id}`,
      ...calls.map((call) => `/api/ai/conversations/${id}${call}`),
      `/api/ai/chat/${id}/stream`,
    ])
      expect([path, (await server.ask(path, { as: "admin" })).status]).toEqual([path, 404]);
    const bodies = {
      stop: {},
      regenerate: {},
      continue: {},
      edit: { messageId: "msg_1", content: "greet" },
      approvals: { toolCallId: "call_1", decision: "approve" },
    };
    for (const [verb, json] of Object.entries(bodies)) {
      const { status } = await server.ask(`/api/ai/chat/${id}/${verb}`, { as: "admin", json });
      expect([verb, status]).toEqual([verb, 404]);
    }
    expect(
      (await server.ask("/api/ai/chat", { as: "admin", json: say("greet", { conversationId: id }) })).status,
    ).toBe(404);
  });

  it.each([
    ["refused", /key/i],
    ["quota", /quota/i],
    ["broken", /failed|error|500|unavailable/i],
    ["cut", /cut off|broke off|lost before/i],
  ])("says in its own words why the provider failed: %s", async (word, message) => {
    const { response, id } = await begin(`${word} please`);
    const { events, done } = await read(response);
    expect(done).toBe(true);
    const answer = answerOf(events);
    expect(answer.status).toBe("failed");
    expect(answer.error).toMatch(message);
    expect(answer.error).not.toContain("sk-mock");
    const stored = (await settled(id)).messages.at(-1);
    expect(stored).toMatchObject({ status: "failed", error: answer.error });
    if (word === "cut") expect(stored?.content.length).toBeGreaterThan(10);
  });
});

it("gives a model's thoughts between tags to nobody as text", async () => {
  const propose = (proposeTitles: boolean) =>
    server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json: { ai: { proposeTitles } } });
  expect((await propose(true)).status).toBe(200);
  const headers = { accept: "text/plain" };
  const sent = await server.ask("/api/ai/chat", { as: "member", json: say("Please mull."), headers });
  expect(await sent.text()).toBe("Hello.");
  const id = sent.headers.get("x-conversation-id") ?? "";
  await expect.poll(async () => (await conversation(id)).title).toBe("Hello");
  expect((await propose(false)).status).toBe(200);
  expect((await conversation(id)).messages.at(-1)).toMatchObject({ content: "Hello." });
  for (const format of ["markdown", "html", "json"]) {
    const exported = await server.ask(`/api/ai/conversations/${id}/export?format=${format}`, {
      as: "member",
    });
    const text = await exported.text();
    expect(text).toContain("Hello.");
    expect(text).not.toMatch(/(?:<|&lt;)\/?think/);
  }
});

describe("an answer and its readers", () => {
  it("continues when its reader leaves, and a resume has no gap and nothing twice", async () => {
    const { response, id } = await begin("long please");
    const before = await read(response, deltas(5));
    const last = before.events.at(-1)?.id ?? 0;
    const resumed = await server.ask(`/api/ai/chat/${id}/stream`, {
      as: "member",
      headers: { "last-event-id": String(last) },
    });
    const after = await read(resumed);
    expect(after.done).toBe(true);
    expect(after.events[0]?.id).toBe(last + 1);
    const stored = await settled(id);
    expect(textOf(answerOf([...before.events, ...after.events]).parts)).toBe(stored.messages[1]?.content);
    expect(stored.messages[1]?.content).toContain("word199");
  });

  it("tells 204 when there is nothing after the last event", async () => {
    const { response, id } = await begin("greet me");
    const { events } = await read(response);
    await settled(id);
    const resume = (after: number) =>
      server.ask(`/api/ai/chat/${id}/stream`, { as: "member", headers: { "last-event-id": String(after) } });
    expect((await resume(events.at(-1)?.id ?? 0)).status).toBe(204);
    const rest = await read(await resume(events.at(-2)?.id ?? 0));
    expect(rest.events).toHaveLength(1);
  });

  it("lets two tabs read the same answer", async () => {
    const { response, id } = await begin("long please");
    const second = read(await server.ask(`/api/ai/chat/${id}/stream`, { as: "member" }));
    const [one, two] = await Promise.all([read(response), second]);
    expect(two.events).toEqual(one.events);
  });

  it("refuses a second message while one is being answered", async () => {
    const { response, id } = await begin("endless please");
    const again = await server.ask("/api/ai/chat", {
      as: "member",
      json: say("greet", { conversationId: id }),
    });
    expect(again.status).toBe(409);
    await server.ask(`/api/ai/chat/${id}/stop`, { as: "member", method: "POST" });
    await read(response);
  });

  it("stops on request, keeps the text, and can be regenerated", async () => {
    const { response, id } = await begin("long please");
    const reading = read(response);
    await expect.poll(async () => (await conversation(id)).messages[1]?.content.length).toBeGreaterThan(20);
    expect((await server.ask(`/api/ai/chat/${id}/stop`, { as: "member", method: "POST" })).status).toBe(204);
    const { events } = await reading;
    expect(answerOf(events).status).toBe("stopped");
    const stored = await conversation(id);
    expect(stored.messages[1]?.status).toBe("stopped");
    expect(stored.messages[1]?.content).not.toContain("word199");
    const again = await server.ask(`/api/ai/chat/${id}/regenerate`, { as: "member", json: {} });
    expect(again.status).toBe(200);
    await read(again);
    const after = await settled(id);
    expect(after.messages).toHaveLength(2);
    expect(after.messages[1]).toMatchObject({
      status: "complete",
      content: expect.stringContaining("word199"),
    });
  });
});

describe("a conversation and what it was written with", () => {
  it("sends a persona's words and its mode's, and continues after the persona is gone", async () => {
    const made = await server.ask("/api/personas", {
      as: "member",
      json: { name: "Scout", systemPrompt: "You are Scout.", mode: "research", tools: [] },
    });
    const { id: persona } = (await made.json()) as { id: string };
    const { response, id } = await begin("greet me", { persona: "Scout" });
    await read(response);
    const request = mock.getLastRequest()?.body as { messages?: { content: unknown }[] } | undefined;
    const system = JSON.stringify(request?.messages?.[0]?.content);
    expect(system).toContain("You are Scout.");
    expect(system).toContain("name your sources");
    expect((await settled(id)).settings.personaId).toBe(persona);
    await server.ask(`/api/personas/${persona}`, { as: "member", method: "DELETE" });
    expect((await conversation(id)).settings.personaId).toBeUndefined();
    expect((await conversation(id)).messages[1]?.persona).toBe("Scout");
  });

  it("regenerates only the answer that is meant", async () => {
    const { response, id } = await begin("greet me");
    await read(response);
    const kept = (await settled(id)).messages;
    const again = await server.ask(`/api/ai/chat/${id}/regenerate`, {
      as: "member",
      json: { messageId: "msg_another" },
    });
    expect(again.status).toBe(409);
    expect((await conversation(id)).messages).toEqual(kept);
  });

  it("is rendered whatever a model wrote", async () => {
    const { response, id } = await begin(`greet me ${">".repeat(1000)}`);
    await read(response);
    expect((await server.ask(`/chat/${id}`, { as: "member" })).status).toBe(200);
  });
});

describe("an answer when the server dies", () => {
  it("keeps the committed text and is marked interrupted after kill -9; the question is never lost", async () => {
    const { response, id } = await begin("long please");
    const { events } = await read(response, deltas(12));
    // Streamed text is committed within the group time: wait for the server's confirmation, not for a time.
    const seen = textOf(answerOf(events).parts);
    await expect
      .poll(async () => (await conversation(id)).messages[1]?.content.length)
      .toBeGreaterThan(seen.length + 40);
    await server.kill();
    await server.start();
    const stored = await conversation(id);
    expect(stored.messages[0]?.content).toBe("long please");
    expect(stored.messages[1]?.status).toBe("interrupted");
    expect(stored.messages[1]?.content.startsWith(seen)).toBe(true);
    const again = await server.ask(`/api/ai/chat/${id}/regenerate`, { as: "member", json: {} });
    await read(again);
    expect((await settled(id)).messages[1]?.content).toContain("word199");
  });

  it("waits for an approval after kill -9, and continues when it is given", async () => {
    const allow = (policy: string) =>
      server.ask("/api/tools/kv.set/policy", { as: "admin", method: "PUT", json: { policy } });
    await allow("ask");
    const { response, id } = await begin("remember this", { tools: ["kv.set"] });
    expect(answerOf((await read(response)).events).status).toBe("waiting");
    await server.kill();
    await server.start();
    const waiting = (await conversation(id)).messages.at(-1);
    expect(waiting).toMatchObject({
      status: "waiting",
      parts: expect.arrayContaining([expect.objectContaining({ state: "waiting" })]),
    });
    const decide = (json: unknown) => server.ask(`/api/ai/chat/${id}/approvals`, { as: "member", json });
    const refused = await decide({ toolCallId: "call_1", decision: "approve", input: { key: 1 } });
    expect([refused.status, Object.keys((await refused.json()).errors)]).toEqual([400, ["input"]]);
    const form = { intent: "decide-call", toolCallId: "call_1", decision: "approve" };
    const sent = await server.ask(`/chat/${id}`, { as: "member", form });
    expect([sent.status, sent.headers.get("location")]).toEqual([303, `/chat/${id}/live`]);
    const { messages } = await settled(id);
    expect(messages.at(-1)).toMatchObject({
      id: waiting?.id,
      status: "complete",
      content: "I have kept it.",
    });
    expect((await decide({ toolCallId: "call_1", decision: "approve" })).status).toBe(409);
    await allow("default");
  });

  it("keeps the text of an orderly stop too, and the process ends cleanly", async () => {
    const { response, id } = await begin("endless please");
    await read(response, deltas(5));
    expect(await server.stop()).toBe(0);
    await server.start();
    const message = (await conversation(id)).messages[1];
    expect(message?.status).toBe("interrupted");
    expect(message?.content.length).toBeGreaterThan(10);
  });
});
