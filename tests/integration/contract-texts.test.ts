import { parseHTML } from "linkedom";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Role } from "~/core/actor";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

async function screen(path: string, as?: Role): Promise<Document> {
  const response = await server.ask(path, { headers: { accept: "text/html" }, ...(as && { as }) });
  return parseHTML(await response.text()).document;
}

const textOf = (node: Element | null) => node?.textContent?.replaceAll(/\s+/g, " ") ?? "";
const samplesOf = (document: Document) =>
  [...document.querySelectorAll("[aria-label='Sample entries'] > li")].map(textOf);

it("the landing page claims routing, sign-in and deployment as the specification does", async () => {
  const text = textOf((await screen("/")).querySelector("main"));
  expect(text).toContain("with fallbacks and cost optimization");
  expect(text).toContain("Platform sign-in");
  expect(text).toContain("One command");
  expect(text).toContain("its cost where the model has a price");
  expect(text).not.toContain("tool by tool");
});

it("an empty trail shows five samples under their badge, until the first entry", async () => {
  for (const path of ["/audit", "/audit?range=all"]) {
    const document = await screen(path, "owner");
    const samples = samplesOf(document);
    expect(samples, path).toHaveLength(5);
    for (const sample of samples) expect(sample).toMatch(/Sample$/);
    const text = textOf(document.querySelector("main"));
    expect(text).toContain("No audit logs found");
    expect(text).toContain("Audit logs will appear here as system activities occur");
  }
  const filtered = await screen("/audit?search=nothing", "owner");
  expect(samplesOf(filtered)).toEqual([]);
  expect(textOf(filtered.querySelector("main"))).toContain("Try adjusting your search or filters");
  expect(samplesOf(await screen("/", "owner"))).toHaveLength(5);

  const persona = { name: "Watch", systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
  expect((await server.ask("/api/personas", { as: "owner", json: persona })).status).toBe(201);
  // A member has no entry, but the organization does.
  for (const role of ["owner", "member"] as const)
    for (const path of ["/", "/audit"]) expect(samplesOf(await screen(path, role)), path).toEqual([]);
});

it("a workflow's card lists all of its numbered steps", async () => {
  const steps = Array.from({ length: 8 }, (_, at) => ({
    id: `s${at}`,
    type: "log",
    config: { message: "x" },
  }));
  const json = { name: "Long", triggers: [{ type: "manual", config: {} }], steps };
  expect((await server.ask("/api/workflows", { as: "member", json })).status).toBe(201);
  const card = (await screen("/workflows", "member")).querySelector("article");
  expect(card?.querySelectorAll("ol > li")).toHaveLength(8);
});
