import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import Database from "better-sqlite3";
import { createParser } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { emptyAnswer, textOf } from "~/work/chat/answer-state.shared";
import type { Conversation } from "~/work/chat/chat.schema";
import { foldChunk } from "~/work/chat/fold-answer.shared";
import type { Comparison, ComparisonSummary } from "~/work/comparisons/comparisons.schema";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { plainBrowser } from "../support/forms";
import { type Ask, startServer, type TestServer } from "../support/server";

const SLOW = "slow-model";
const FAILING = "failing-model";
const WORDS = Array.from({ length: 400 }, (_, index) => `slow${index}`).join(" ");

let good: LLMock;
let slow: LLMock;
let failing: LLMock;
let server: TestServer;

/** An upstream that answers every prompt in its own way. */
async function startMock(set: (mock: LLMock) => void): Promise<LLMock> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", strict: true });
  set(mock);
  await mock.start();
  return mock;
}

async function addProvider(displayName: string, mock: LLMock, model: string): Promise<void> {
  const made = await server.ask("/api/providers", {
    as: "owner",
    json: {
      provider: "custom",
      displayName,
      enabled: true,
      config: { baseUrl: `${mock.url}/v1`, models: [model] },
    },
  });
  expect(made.status, await made.clone().text()).toBe(201);
}

beforeAll(async () => {
  good = await startAimock();
  slow = await startMock((mock) => mock.onMessage(/./, { content: WORDS }, { chunkSize: 12, latency: 25 }));
  failing = await startMock((mock) =>
    mock.onMessage(/./, { error: { message: "Incorrect API key provided" }, status: 401 }),
  );
  server = await startServer();
  await addProvider("Good", good, AIMOCK_MODEL);
  await addProvider("Slow", slow, SLOW);
  await addProvider("Failing", failing, FAILING);
});
afterAll(async () => {
  await server?.close();
  for (const mock of [good, slow, failing]) await mock?.stop();
});

const PATH = "/api/ai/comparisons";
const open = (path: string) => plainBrowser(server, "member").open(path);
const ask = (path: string, options: Ask = {}) => server.ask(path, { as: "member", ...options });

async function compare(models: string[], prompt = "greet me"): Promise<Comparison> {
  const response = await ask(PATH, { json: { prompt, models } });
  const text = await response.text();
  expect([response.status, text.slice(0, 300)]).toEqual([201, expect.any(String)]);
  const comparison = JSON.parse(text) as Comparison;
  expect(response.headers.get("location")).toBe(`${PATH}/${comparison.id}`);
  return comparison;
}

async function read(id: string): Promise<Comparison> {
  return (await (await ask(`${PATH}/${id}`)).json()) as Comparison;
}

const statuses = ({ answers }: Comparison) => answers.map(({ answer }) => answer.status);

async function settled(id: string): Promise<Comparison> {
  await expect.poll(async () => statuses(await read(id))).not.toContain("streaming");
  return read(id);
}

/** Waits until a column has said something, which then isn't all of it. */
async function writing(id: string, column: number): Promise<void> {
  await expect.poll(async () => (await read(id)).answers[column]?.answer.content).toContain("slow3");
}

/** The server's own records, of which no call tells. */
function usageOf({ answers }: Comparison) {
  const database = new Database(join(server.dataDir, "quarterdeck.sqlite"), { readonly: true });
  try {
    const rows = answers.map(({ conversationId }) =>
      database
        .prepare("select source, outcome, model from usage_records where conversation_id = ?")
        .all(conversationId),
    );
    return rows.flat();
  } finally {
    database.close();
  }
}

interface ColumnEvent {
  position: string;
  column: number;
  chunk: StreamChunk;
}

async function readStream(response: Response, maxEvents = Number.POSITIVE_INFINITY) {
  const events: ColumnEvent[] = [];
  let done = false;
  const parser = createParser({
    onEvent: ({ id, data }) => {
      if (data === "[DONE]") done = true;
      else if (events.length < maxEvents) {
        const { column, chunk } = JSON.parse(data) as { column: number; chunk: unknown };
        events.push({ position: id ?? "", column, chunk: StreamChunk.parse(chunk) });
      }
    },
  });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  while (events.length < maxEvents) {
    const next = await reader?.read();
    if (!next || next.done) break;
    parser.feed(decoder.decode(next.value, { stream: true }));
  }
  await reader?.cancel();
  return { events, done };
}

describe("a comparison", () => {
  it("continues where one provider fails, and every call is recorded as a comparison's", async () => {
    const begun = await compare([AIMOCK_MODEL, FAILING, "quarterdeck-offline"]);
    expect(begun.answers.map(({ model }) => model)).toEqual([AIMOCK_MODEL, FAILING, "quarterdeck-offline"]);
    const ended = await settled(begun.id);
    expect(statuses(ended)).toEqual(["complete", "failed", "complete"]);
    const [first, second] = ended.answers.map(({ answer }) => answer);
    expect(first).toMatchObject({
      content: "Hello from the other end.",
      metrics: { provider: "Good", durationMs: expect.any(Number), firstTokenMs: expect.any(Number) },
    });
    expect(second?.error).toMatch(/Failing/);
    const { document, text } = await open(`/compare/${begun.id}`);
    const shown = (selector: string) =>
      [...document.querySelectorAll(selector)].map(({ textContent }) => textContent?.replaceAll(/\s+/g, " "));
    const columns = shown("main section[aria-label]");
    expect(columns).toEqual([
      expect.stringContaining("Results"),
      expect.stringContaining("Hello from the other end."),
      expect.stringMatching(/Failing.*key/),
      expect.stringContaining("not a language model"),
    ]);
    const figures = shown("main table tr");
    expect(figures.find((row) => row?.includes("GPT-4o"))).toMatch(/Complete.*(\d ms|\d s)/);
    expect(figures.find((row) => row?.includes(FAILING))).toContain("Failed");
    // Of the two that answered one is no language model: there is nothing to compare.
    expect(text).not.toContain("Fastest");
    expect(usageOf(ended)).toEqual([
      { source: "comparison", outcome: "ok", model: AIMOCK_MODEL },
      { source: "comparison", outcome: "error", model: FAILING },
      { source: "comparison", outcome: "ok", model: "quarterdeck-offline" },
    ]);
  });

  it.each([
    [
      "one twice",
      { prompt: "x", models: [AIMOCK_MODEL, AIMOCK_MODEL] },
      "models",
      "Choose each model only once",
    ],
    ["an unknown one", { prompt: "x", models: [AIMOCK_MODEL, "no-such-model"] }, "models", /no-such-model/],
    ["one alone", { prompt: "x", models: [AIMOCK_MODEL] }, "models", "Choose at least 2 models"],
    ["five", { prompt: "x", models: ["a", "b", "c", "d", "e"] }, "models", "Choose at most 4 models"],
    ["a blank prompt", { prompt: " ", models: [AIMOCK_MODEL, SLOW] }, "prompt", "Enter a prompt"],
    [
      "a prompt that is too long",
      { prompt: "x".repeat(100_001), models: [AIMOCK_MODEL, SLOW] },
      "prompt",
      /at most 100,000/,
    ],
  ])("is refused for %s", async (_, json, field, message) => {
    const countComparisons = async () => ((await (await ask(PATH)).json()) as unknown[]).length;
    const before = await countComparisons();
    const response = await ask(PATH, { json });
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as { errors: Record<string, string[]> };
    expect(errors[field]?.[0]).toMatch(message);
    expect(await countComparisons()).toBe(before);
  });

  it("is refused by its plain form at the fields, which keep what was chosen", async () => {
    const twice = await (await open("/compare")).submit("compare", {
      prompt: "",
      models: [AIMOCK_MODEL, AIMOCK_MODEL, "", ""],
    });
    expect(twice.status).toBe(400);
    expect(twice.described("prompt")).toContain("Enter a prompt");
    expect(twice.text).toContain("Choose each model only once");
    const alone = await twice.submit("compare", { prompt: "greet me", models: [AIMOCK_MODEL, "", "", ""] });
    expect([alone.status, alone.text]).toEqual([400, expect.stringContaining("Choose at least 2 models")]);
    expect(alone.fields("compare")).toMatchObject({
      prompt: "greet me",
      models: [AIMOCK_MODEL, "", "", ""],
    });
  });

  it("isn't offered to viewers, who learn why", async () => {
    const viewer = plainBrowser(server, "viewer");
    const page = await viewer.open("/compare");
    expect(page.text).toContain("Viewers can't chat with models");
    expect(page.control("prompt")).toBeNull();
    expect((await viewer.open("/chat")).document.querySelector('a[href="/compare"]')).toBeNull();
  });

  it("is listed in pages, and its conversations aren't listed in the chat", async () => {
    const made = await compare([AIMOCK_MODEL, "quarterdeck-offline"], "greet me in a list");
    await settled(made.id);
    const first = await ask(`${PATH}?limit=1`);
    expect(await first.json()).toEqual([
      {
        id: made.id,
        title: "greet me in a list",
        models: [AIMOCK_MODEL, "quarterdeck-offline"],
        running: false,
        createdAt: made.createdAt,
      } satisfies ComparisonSummary,
    ]);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = (await (await ask(next)).json()) as ComparisonSummary[];
    expect(second).toHaveLength(1);
    expect(second[0]?.id).not.toBe(made.id);
    const chat = (await (await ask("/api/ai/conversations")).json()) as { id: string }[];
    const own = new Set(made.answers.map(({ conversationId }) => conversationId));
    expect(chat.filter(({ id }) => own.has(id))).toEqual([]);
    expect((await ask(`${PATH}?cursor=nonsense`)).status).toBe(400);
  });

  it("is its owner's alone", async () => {
    const { id, answers } = await compare([AIMOCK_MODEL, "quarterdeck-offline"]);
    const json = { conversationId: answers[0]?.conversationId };
    for (const [path, options] of [
      ["", {}],
      ["", { method: "DELETE" }],
      ["/stop", { method: "POST" }],
      ["/stream", {}],
      ["/continue", { json }],
    ] as const) {
      expect((await ask(`${PATH}/${id}${path}`, { as: "owner", ...options })).status).toBe(404);
    }
    expect((await settled(id)).answers).toHaveLength(2);
  });
});

describe("a comparison's stream", () => {
  it("carries all columns in one, and resumes each where it was", async () => {
    const { id } = await compare([AIMOCK_MODEL, SLOW], "table please");
    const first = await readStream(await ask(`${PATH}/${id}/stream`), 60);
    const position = first.events.at(-1)?.position ?? "";
    const rest = await readStream(
      await ask(`${PATH}/${id}/stream?after=0.0`, { headers: { "last-event-id": position } }),
    );
    expect(rest.done).toBe(true);
    const { answers } = await settled(id);
    const all = [...first.events, ...rest.events];
    for (const [index, { answer }] of answers.entries()) {
      const chunks = all.filter(({ column }) => column === index).map(({ chunk }) => chunk);
      expect(chunks.filter(({ type }) => type === "start")).toHaveLength(1);
      expect(textOf(chunks.reduce(foldChunk, emptyAnswer()).parts)).toBe(answer.content);
    }
    expect(answers[1]?.answer.content).toBe(WORDS);
    const last = rest.events.at(-1)?.position ?? "";
    expect((await ask(`${PATH}/${id}/stream?after=${last}`)).status).toBe(204);
  });
});

describe("a running comparison", () => {
  it("is stopped as a whole, keeping what was written", async () => {
    const { id } = await compare([SLOW, "quarterdeck-offline"]);
    await writing(id, 0);
    expect((await ask(`${PATH}/${id}/stop`, { method: "POST" })).status).toBe(204);
    const stopped = await read(id);
    expect(stopped.answers[0]?.answer).toMatchObject({
      status: "stopped",
      content: expect.stringContaining("slow3"),
    });
    expect(stopped.answers[0]?.answer.content).not.toBe(WORDS);
    expect(usageOf(stopped)).toContainEqual({ source: "comparison", outcome: "stopped", model: SLOW });
  });

  it("is deleted with its answers, which are stopped; their usage stays", async () => {
    const begun = await compare([SLOW, AIMOCK_MODEL]);
    await writing(begun.id, 0);
    expect((await ask(`${PATH}/${begun.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await ask(`${PATH}/${begun.id}`)).status).toBe(404);
    for (const { conversationId } of begun.answers) {
      expect((await ask(`/api/ai/conversations/${conversationId}`)).status).toBe(404);
    }
    expect(usageOf(begun)).toHaveLength(2);
    expect(server.output).not.toContain("could not be stored");
  });

  it("keeps its texts when the server is killed", async () => {
    const begun = await compare([SLOW, AIMOCK_MODEL]);
    await writing(begun.id, 0);
    const said = async () => (await read(begun.id)).answers[0]?.answer.content ?? "";
    const seen = await said();
    // Streamed text is committed within the group time; a later event shows that the time has passed.
    await expect.poll(async () => (await said()).length).toBeGreaterThan(seen.length + 40);
    await server.kill();
    await server.start();
    const found = await read(begun.id);
    expect(statuses(found)).toEqual(["interrupted", "complete"]);
    expect(found.answers[0]?.answer.content.startsWith(seen)).toBe(true);
    expect(usageOf(found)).toContainEqual({ source: "comparison", outcome: "interrupted", model: SLOW });
  });
});

describe("an answer of a comparison", () => {
  it("is continued in the chat as a copy, which outlives the comparison", async () => {
    const { id } = await compare([AIMOCK_MODEL, SLOW]);
    const path = `${PATH}/${id}/continue`;
    await writing(id, 1);
    const { answers } = await read(id);
    const [done, running] = answers.map(({ conversationId }) => ({ conversationId }));
    expect((await ask(path, { json: running })).status).toBe(409);
    expect((await ask(path, { json: { conversationId: "con_unknown" } })).status).toBe(404);
    const made = await ask(path, { json: done });
    expect(made.status).toBe(201);
    const copy = (await made.json()) as Conversation;
    expect(copy.comparisonId).toBeNull();
    expect(copy.messages.map(({ content }) => content)).toEqual(["greet me", "Hello from the other end."]);
    expect((await ask(`${PATH}/${id}`, { method: "DELETE" })).status).toBe(204);
    const messages = [{ role: "user", content: "greet me again" }];
    const json = { conversationId: copy.id, model: AIMOCK_MODEL, messages };
    const more = await ask("/api/ai/chat", { json, headers: { accept: "text/plain" } });
    expect(await more.text()).toBe("Hello from the other end.");
    const chat = (await (await ask("/api/ai/conversations")).json()) as { id: string }[];
    expect(chat[0]?.id).toBe(copy.id);
  });

  it("is continued by its page's form, and its comparison repeated or deleted from the list", async () => {
    const { id } = await compare([AIMOCK_MODEL, "quarterdeck-offline"], "greet me by a form");
    await settled(id);
    const page = await open(`/compare/${id}`);
    const again = await page.follow("Compare Again");
    expect(again.fields("compare")).toMatchObject({
      prompt: "greet me by a form",
      models: [AIMOCK_MODEL, "quarterdeck-offline", "", ""],
    });
    const continued = await page.submit("Continue in Chat");
    expect([continued.status, continued.location]).toEqual([303, expect.stringMatching(/^\/chat\/con_\w+$/)]);
    expect((await continued.follow()).text).toContain("Hello from the other end.");
    const asked = await (await open("/compare")).follow("Delete greet me by a form");
    expect(asked.document.querySelector("dialog")?.textContent).toContain("greet me by a form");
    const deleted = await (await asked.submit("delete")).follow();
    expect(deleted.text).toContain("Comparison deleted");
    expect(deleted.document.querySelector(`main a[href="/compare/${id}"]`)).toBeNull();
  });

  it("takes no further message in its own place, and its address leads to the comparison", async () => {
    const { id } = await compare([AIMOCK_MODEL, "quarterdeck-offline"]);
    const { answers } = await settled(id);
    const conversationId = answers[0]?.conversationId;
    const json = { conversationId, messages: [{ role: "user", content: "more" }] };
    expect((await ask("/api/ai/chat", { json })).status).toBe(409);
    expect((await ask(`/api/ai/chat/${conversationId}/regenerate`, { json: {} })).status).toBe(409);
    for (const path of [`/chat/${conversationId}`, `/chat/${conversationId}/live`]) {
      const response = await ask(path);
      expect([response.status, response.headers.get("location")]).toEqual([302, `/compare/${id}`]);
    }
  });
});
