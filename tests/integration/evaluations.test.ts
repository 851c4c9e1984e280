import { afterAll, beforeAll, expect, it } from "vitest";
import type { EvaluationSet, ResultRow, Run } from "~/work/evaluations/evaluations.schema";
import { plainBrowser } from "../support/forms";
import { type Gateway, openGateway } from "../support/gateway";
import { type MockServer, startMockServer } from "../support/mock-server";

// A model that repeats what it gets, but for questions that are held back.
let gateway: Gateway;
let upstream: MockServer;
let holds = true;

interface Sent {
  messages: { content: string | { text: string }[] }[];
}

const textOf = (body: string) => {
  const content = (JSON.parse(body) as Sent).messages.at(-1)?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
};

beforeAll(async () => {
  upstream = await startMockServer((request, response) => {
    if (request.method === "GET") return void response.end('{"data":[]}');
    const text = textOf(request.text);
    if (holds && text.includes("later")) return;
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${chunk({ content: `${text} [1]` }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
  });
  gateway = await openGateway({ retryAttempts: 0 });
  await gateway.addProvider({
    provider: "custom",
    key: false,
    baseUrl: `${upstream.origin}/v1`,
    models: ["echoes"],
  });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const ask = (path: string, json?: object) =>
  gateway.server.ask(path, { as: "owner", ...(json ? { json } : {}) });

async function read<T>(path: string, json?: object): Promise<T> {
  const response = await ask(path, json);
  expect(response.status, await response.clone().text()).toBeLessThan(300);
  return (await response.json()) as T;
}

async function makeSet(questions: Record<string, object>): Promise<string> {
  const { id } = await read<EvaluationSet>("/api/evaluations", { name: "Harbor" });
  for (const [question, expects] of Object.entries(questions))
    await read(`/api/evaluations/${id}/questions`, { question, expects });
  return id;
}

const start = (set: string) => read<Run>(`/api/evaluations/${set}/runs`, { subjects: [{ model: "echoes" }] });
const stateOf = (run: string) => read<Run>(`/api/evaluation-runs/${run}`);

it("goes on after kill -9 without asking for what is stored", { timeout: 120_000 }, async () => {
  const set = await makeSet(
    Object.fromEntries(
      ["now 1", "now 2", "later 1", "later 2"].map((text) => [text, { lacks: ["no such"] }]),
    ),
  );
  const { id } = await start(set);
  await expect.poll(async () => (await stateOf(id)).done).toBe(2);
  await gateway.server.kill();
  holds = false;
  await gateway.server.restart();
  await expect
    .poll(() => stateOf(id), {
      timeout: 60_000,
    })
    .toMatchObject({ state: "done", done: 4 });
  const calls = upstream.requests.filter(({ method }) => method === "POST").map(({ body }) => textOf(body));
  expect(calls.filter((text) => text.startsWith("now"))).toHaveLength(2);
});

it("asks with passages of documents that everyone can see, and knows which are cited", async () => {
  const ingest = (title: string, visibility: string) =>
    read<{ documentId: string }>("/api/rag/ingest", {
      text: `The ${title} lantern is lit at dusk by the harbor master.`,
      title,
      visibility,
    });
  await ingest("open", "organisation");
  const [open] = await read<{ id: string }[]>("/api/rag/documents");
  const set = await makeSet({ "Who lights the lantern?": { documentId: open?.id } });
  const { id } = await start(set);
  await expect.poll(async () => (await stateOf(id)).state).toBe("done");
  const [row] = await read<ResultRow[]>(`/api/evaluation-runs/${id}/results`);
  expect(row?.results[0]).toMatchObject({ outcome: "passed", answer: expect.stringContaining("[1] open") });
});

it("stays quick with hostile traits, and shows and exports hostile answers as text", async () => {
  const formula = '=HYPERLINK("http://evil.example","x")';
  const script = "<script>alert(1)</script>";
  const set = await makeSet({
    [formula]: { pattern: "^(.*)*\u0000$" },
    "Hostile schema": { jsonSchema: { pattern: "^(.*)*\u0000$" } },
    [script]: { jsonSchema: { anyOf: Array.from({ length: 100 }, (_, at) => ({ minLength: at })) } },
  });
  const nested = "[".repeat(2000) + "]".repeat(2000);
  for (const expects of [
    { jsonSchema: { $ref: "#" } },
    { jsonSchema: { $ref: "https://evil.example/schema" } },
    { jsonSchema: { enum: [nested.repeat(5)] } },
    { pattern: "(" },
    { contains: Array.from({ length: 21 }, () => "x") },
    { documentId: "../../etc/passwd" },
    {},
  ])
    expect((await ask(`/api/evaluations/${set}/questions`, { question: "x", expects })).status).toBe(400);
  const { id } = await start(set);
  await expect.poll(async () => (await stateOf(id)).state).toBe("done");
  const csv = await (await ask(`/api/evaluation-runs/${id}/export`)).text();
  expect(csv).toContain(`"'=HYPERLINK(`);
  const page = await (await ask(`/evaluations/runs/${id}`)).text();
  expect(page).not.toContain(script);
  const others = await gateway.server.ask(`/api/evaluation-runs/${id}/export`, { as: "admin" });
  expect(others.status).toBe(404);
});

it("resumes a run without its limit by its plain form, and filters ratings by person", async () => {
  const set = await makeSet({
    one: { lacks: ["no such"] },
    two: { lacks: ["no such"] },
    three: { lacks: ["x"] },
  });
  // The cost of the model is unknown.
  const body = { subjects: [{ model: "echoes" }], limit: 1 };
  const { id } = await read<Run>(`/api/evaluations/${set}/runs`, body);
  await expect.poll(async () => (await stateOf(id)).state).toBe("failed");
  const browser = plainBrowser(gateway.server, "owner");
  const dialog = await (await browser.open(`/evaluations/runs/${id}`)).follow("Resume");
  const refused = await dialog.submit("resume", { limit: "-1" });
  expect(refused.described("limit")).toContain("Enter an amount above 0");
  const unknown = await refused.submit("resume", { limit: "5" });
  expect(unknown.described("limit")).toContain("no limit can hold");
  const resumed = await unknown.submit("resume", { limit: "" });
  expect((await resumed.follow()).text).toContain("Run resumed");
  await expect.poll(async () => (await stateOf(id)).state).toBe("done");
  expect((await stateOf(id)).limitMicros).toBeNull();

  const ratings = await browser.open("/evaluations/ratings");
  expect(ratings.control("person")?.textContent).toContain("Everyone");
  expect((await browser.open("/evaluations/ratings?person=usr_gone")).text).toContain("No matching ratings");
  expect(
    (await plainBrowser(gateway.server, "member").open("/evaluations/ratings")).control("person"),
  ).toBeNull();
});
