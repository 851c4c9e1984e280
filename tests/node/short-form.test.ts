import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { makeDocx, makePdf, makePptx, makeXlsx, wordParagraph } from "../support/document-files";
import { type Ask, startServer, type TestServer } from "../support/server";
import { uploadForm } from "../support/uploads";

// The short form of every supported version of Node (`npm run test:node`): what depends on Node is native modules, child
// processes and their limits, threads, streams and signals.

/** `npm test` starts the console under a version that it doesn't use itself. */
const NODE = process.env.TESTED_NODE;
const OWNER = { email: "grace@example.org", password: "nanoseconds in a wire" };

let server: TestServer;
let cookie = "";
beforeAll(async () => {
  server = await startServer({ people: false, node: NODE });
  await vi.waitFor(() => expect(server.output).toContain("token="), 60_000);
  const token = /\/setup\?token=(\S+)/.exec(server.output)?.[1] ?? "";
  const form = { ...OWNER, firstName: "Grace", lastName: "Hopper", intent: "submit" };
  await server.ask(`/setup?token=${token}`, { form, headers: { origin: server.baseUrl } });
  cookie = await server.signIn(OWNER.email, OWNER.password);
});
afterAll(() => server?.close());

const asOwner = (path: string, options: Ask = {}) =>
  server.ask(path, { ...options, headers: { cookie, origin: server.baseUrl, ...options.headers } });

async function json<T>(path: string, options: Ask = {}): Promise<T> {
  const response = await asOwner(path, options);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** Below the rate limit of 100 calls a minute. */
const INTERVAL = 500;
const TEXT = "The lamp of the harbour is lit at dusk.";
/** One file of each format, with the same sentence. */
const FILES: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[] = [
  ["text.txt", `Text: ${TEXT}`],
  ["markdown.md", `# Markdown\n\n${TEXT}`],
  ["page.html", `<!doctype html><title>Page</title><main><h1>Page</h1><p>${TEXT}</p></main>`],
  ["table.csv", `place,note\nharbour,"${TEXT}"\n`],
  ["data.json", JSON.stringify({ note: TEXT })],
  ["guide.pdf", new Uint8Array(makePdf([[{ text: `PDF: ${TEXT}`, y: 700 }]]))],
  ["letter.docx", new Uint8Array(makeDocx(wordParagraph(`Word: ${TEXT}`)))],
  ["sheet.xlsx", new Uint8Array(makeXlsx({ Lamps: [["harbour", TEXT]] }))],
  ["slides.pptx", new Uint8Array(makePptx([{ title: "Slides", body: [TEXT] }]))],
];

it(`is set up on ${NODE ?? process.version} by its one-time link`, async () => {
  expect(await json("/api/auth/user")).toMatchObject({ email: OWNER.email, role: "owner" });
});

it("ingests a file of each format and finds all", async () => {
  const uploaded = await json<{ id: string }[]>("/api/rag/upload", { body: uploadForm(FILES) });
  const statuses = async () => {
    const documents = await json<{ name: string; status: string }[]>("/api/rag/documents");
    return documents.map(({ status }) => status);
  };
  await expect.poll(statuses, { timeout: 60_000, interval: INTERVAL }).toEqual(FILES.map(() => "ready"));
  expect(uploaded).toHaveLength(FILES.length);
  const { results } = await json<{ results: { content: string }[] }>("/api/rag/search", {
    json: { query: "When is the harbour's lamp lit?", topK: 5, collection: "documents" },
  });
  expect(results.map(({ content }) => content)[0]).toContain(TEXT);
});

it("answers in chat from the documents", async () => {
  const response = await asOwner("/api/ai/chat", {
    json: {
      messages: [{ role: "user", content: "When is the harbour's lamp lit?" }],
      model: "quarterdeck-offline",
      tools: ["qdrant.search"],
    },
    headers: { accept: "text/plain" },
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("dusk");
});

it("runs a workflow with a query of its database", async () => {
  const { id } = await json<{ id: string }>("/api/workflows", {
    json: {
      name: "Sum",
      triggers: [{ type: "manual" }],
      steps: [
        { id: "sum", type: "database_query", config: { sql: "select 40 + 2 as answer" } },
        { id: "done", type: "return", config: { value: "{{ steps.sum.rows[0].answer }}" } },
      ],
    },
  });
  await json(`/api/workflows/${id}`, { method: "PUT", json: { enabled: true } });
  const run = await json<{ id: string }>(`/api/workflows/run/${id}`, { json: {} });
  await expect
    .poll(() => json(`/api/runs/${run.id}`), { timeout: 30_000, interval: INTERVAL })
    .toMatchObject({ state: "succeeded", output: 42 });
});

it("makes a backup and restores it", async () => {
  await asOwner("/api/system/backups", { json: {} });
  const backups = () =>
    readdirSync(server.dataDir, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".tar.gz"),
    );
  await expect.poll(backups, { timeout: 30_000, interval: INTERVAL }).toHaveLength(1);
  const [name] = backups();
  const persona = { name: "After", systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
  await json("/api/personas", { json: persona });
  expect((await asOwner(`/api/system/backups/${basename(name ?? "")}/restore`, { json: {} })).status).toBe(
    202,
  );
  const isRestored = () => readdirSync(join(server.dataDir, "backups")).includes("outcome.json");
  await expect.poll(isRestored, { timeout: 30_000, interval: INTERVAL }).toBe(true);
  await expect
    .poll(() => server.ask("/api/health").then(({ status }) => status), {
      timeout: 30_000,
      interval: INTERVAL,
    })
    .toBe(200);
  cookie = await server.signIn(OWNER.email, OWNER.password);
  expect(await json<{ name: string }[]>("/api/personas")).toEqual([]);
});

it("starts again after a kill with everything it acknowledged, and stops when asked to", async () => {
  const persona = { name: "Kept", systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
  await json("/api/personas", { json: persona });
  await server.kill();
  await server.start();
  expect(await json<{ name: string }[]>("/api/personas")).toMatchObject([{ name: "Kept" }]);
  expect(await server.stop()).toBe(0);
});
