import { afterAll, beforeAll, expect, it } from "vitest";
import { type PlainPage, plainBrowser } from "../support/forms";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const textOf = ({ document }: PlainPage) =>
  document.querySelector("dialog")?.textContent?.replaceAll(/\s+/g, " ") ?? "";

it.each([
  ["persona", "/personas", { name: "Watch", systemPrompt: "Short" }, "systemPrompt"],
  ["prompt", "/prompts", { name: "Watch", text: "Short" }, "text"],
])(
  "a %s that was deleted while it was edited can be created again from what was typed",
  async (noun, path, record, field) => {
    const made = await server.ask(`/api${path}`, { as: "member", json: record });
    const { id } = (await made.json()) as { id: string };
    const address = `${path}?dialog=edit&id=${id}`;
    const { open } = plainBrowser(server, "member");
    const page = await open(address);
    await server.ask(`/api${path}/${id}`, { as: "member", method: "DELETE" });

    const typed = { [field]: "Typed for an hour" };
    const refused = await page.submit("update", typed);
    expect(refused.status).toBe(404);
    expect(textOf(refused)).toMatch(
      new RegExp(`${noun} not found. It may have been deleted. Create it again`, "i"),
    );
    expect(refused.fields("create")).toMatchObject({ name: "Watch", ...typed });
    expect((await refused.submit("create", { name: "" })).fields("create")).toMatchObject(typed);
    expect((await refused.submit("create")).status).toBe(303);
    const list = (await (await server.ask(`/api${path}`, { as: "member" })).json()) as object[];
    expect(list).toContainEqual(expect.objectContaining(typed));
    expect(textOf(await open(address))).toMatch(
      new RegExp(`^${noun} not found ?It may have been deleted.`, "i"),
    );
  },
);

const forms = [
  {
    noun: "Group",
    api: "/api/groups",
    record: { name: "Crew" },
    page: "/settings/members?dialog=group",
    intents: ["edit-group", "add-group"],
    typed: { name: "Night shift" },
    kept: { name: "Night shift" },
  },
  {
    noun: "Budget",
    api: "/api/budgets",
    record: { target: "organisation", unit: "tokens", period: "day", limit: 1_000_000 },
    page: "/usage/budgets?dialog=edit",
    intents: ["edit", "add"],
    typed: { limit: "2500000" },
    kept: { unit: "tokens", period: "day", limit: 2_500_000 },
  },
  {
    noun: "Provider",
    api: "/api/providers",
    record: { provider: "openai", displayName: "Models" },
    page: "/settings/providers?dialog=edit-provider",
    intents: ["save-provider", "add-untested"],
    typed: { displayName: "Models of the north" },
    kept: { provider: "openai", displayName: "Models of the north" },
  },
] as const;

it.each(forms)("a deleted $noun can be added again from what was typed", async (form) => {
  const { noun, api, record, intents, typed, kept } = form;
  const made = await server.ask(api, { as: "admin", json: record });
  const { id } = (await made.json()) as { id: string };
  const address = `${form.page}&id=${id}`;
  const { open } = plainBrowser(server, "admin");
  const page = await open(address);
  await server.ask(`${api}/${id}`, { as: "admin", method: "DELETE" });

  const refused = await page.submit(intents[0], typed);
  expect(refused.status).toBe(404);
  expect(textOf(refused)).toContain(`${noun} not found. It may have been deleted. Add it again to keep`);
  expect((await refused.submit(intents[1])).status).toBe(303);
  const list = (await (await server.ask(api, { as: "admin" })).json()) as object[];
  expect(list).toContainEqual(expect.objectContaining(kept));
  expect(textOf(await open(address))).toMatch(new RegExp(`^${noun} not found ?It may have been deleted.`));
});

it("a deleted question of the retrieval check can be added again from what was typed", async () => {
  const ingested = await server.ask("/api/rag/ingest", {
    as: "member",
    json: { type: "text", title: "Tides", text: "High water is at noon." },
  });
  const document = (await ingested.json()) as { id: string };
  const made = await server.ask("/api/rag/check/questions", {
    as: "member",
    json: {
      question: "When is high water?",
      passages: [{ documentId: document.id, quote: "High water is at noon" }],
    },
  });
  const { id } = (await made.json()) as { id: string };
  const address = `/rag/check?dialog=edit&id=${id}`;
  const { open } = plainBrowser(server, "member");
  const page = await open(address);
  await server.ask(`/api/rag/check/questions/${id}`, { as: "member", method: "DELETE" });

  const refused = await page.submit("change", { "quote-0": "water is at noon" });
  expect(textOf(refused)).toContain("Question not found. It may have been deleted. Add it again to keep");
  expect((await refused.submit("add")).status).toBe(303);
  const list = await (await server.ask("/api/rag/check/questions", { as: "member" })).text();
  expect(list).toContain('"water is at noon"');
  expect(textOf(await open(address))).toMatch(/^Question not found ?It may have been deleted./);
});

it("the retrieval check's plain forms search, add, run, edit and delete a question", async () => {
  const ingested = await server.ask("/api/rag/ingest", {
    as: "member",
    json: { title: "Handbook", text: "Travel costs are paid back within ten days. Keep the receipts." },
  });
  const { id } = (await ingested.json()) as { id: string };
  const isReady = async () =>
    (await (await server.ask(`/api/rag/documents/${id}`, { as: "member" })).json()) as object;
  await expect.poll(isReady).toMatchObject({ status: "ready" });
  const { open } = plainBrowser(server, "member");
  const question = "When are travel costs paid back?";
  const found = await open(`/rag/check?dialog=add&q=${encodeURIComponent(question)}`);
  const choices = [...found.document.querySelectorAll('[name="ticked"]')];
  const index = choices
    .map((choice) => choice.getAttribute("value"))
    .find((value) => found.fields("add")[`document-${value}`] === id);
  const added = await found.submit("add", {
    ticked: index ?? "none",
    [`quote-${index}`]: "Travel costs are paid back within ten days.",
  });
  expect(added.status).toBe(303);
  const listed = await added.follow();
  const row = [...listed.document.querySelectorAll("main li")].find(({ textContent }) =>
    textContent?.includes(question),
  );
  expect(row?.textContent).toContain("1 passage");
  expect((await (await listed.submit("run")).follow()).text).toContain("Check started");
  const figures = async () => (await open("/rag/check")).text;
  await expect.poll(figures).toMatch(/Hybrid.*1\.000/);

  const editing = await (await open("/rag/check")).follow(`Edit "${question}"`);
  const refused = await editing.submit("change", { ticked: undefined });
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining("Select at least one passage"),
  ]);
  const asked = await (await open("/rag/check")).follow(`Delete "${question}"`);
  const deleted = await (await asked.submit("delete")).follow();
  expect(deleted.text).toContain("Question deleted");
  expect(deleted.document.querySelector(`[aria-label='Delete "${question}"']`)).toBeNull();
});

it("a public link that doesn't work shows the brand", async () => {
  await server.ask("/api/branding", { as: "owner", method: "PUT", json: { appName: "Harbor Desk" } });
  const page = await plainBrowser(server).open("/shared/guessed");
  expect(page.status).toBe(404);
  expect(page.document.querySelector("main")?.textContent).toContain("Harbor Desk");
});

it("a hidden and a deleted document are refused in the same words", async () => {
  const made = await server.ask("/api/rag/ingest", {
    as: "owner",
    json: { type: "text", title: "Salaries", text: "Secret.", visibility: "named", readers: [] },
  });
  const { id } = (await made.json()) as { id: string };
  const refuse = async (document: string) => {
    const refused = await server.ask(`/api/rag/documents/${document}`, { as: "member" });
    return [refused.status, ((await refused.json()) as { detail: string }).detail];
  };
  const words = [404, "Document not found. It was deleted, or you don't have access."];
  expect(await refuse(id)).toEqual(words);
  expect(await refuse("doc_unknown")).toEqual(words);
});

it("the builder names a newer name before it replaces it, and creates a deleted workflow again", async () => {
  const steps = [{ type: "log", config: { message: "Hi" } }];
  const made = await server.ask("/api/workflows", { as: "member", json: { name: "Digest", steps } });
  const { id } = (await made.json()) as { id: string };
  const address = `/workflows/builder?id=${id}`;
  const change = (json: object) => server.ask(`/api/workflows/${id}`, { as: "admin", method: "PATCH", json });
  const { open } = plainBrowser(server, "member");
  const page = await open(address);
  await change({ name: "Report" });
  const refused = await page.submit("save", { name: "Briefing" });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain("What you entered differs in: Name.");
  expect((await refused.submit("save")).status).toBe(303);

  const again = await open(address);
  await server.ask(`/api/workflows/${id}`, { as: "member", method: "DELETE" });
  const missing = await again.submit("save", { name: "Typed for an hour" });
  expect(missing.status).toBe(404);
  expect(missing.text).toContain("Workflow not found. It may have been deleted. Saving creates it again.");
  expect((await missing.submit("save")).status).toBe(303);
  const list = (await (await server.ask("/api/workflows", { as: "member" })).json()) as object[];
  expect(list).toContainEqual(
    expect.objectContaining({
      name: "Typed for an hour",
      // A choice that isn't stored is its usual one, not the first.
      steps: [expect.objectContaining({ config: { level: "info", message: "Hi" } })],
    }),
  );
});

it("a prompt's variable without a default can't be left blank, and the others keep what was typed", async () => {
  const text = "Write on {{incident}}, in {{length=three}} lines, for {{reader}}.";
  const made = await server.ask("/api/prompts", { as: "member", json: { name: "Report", text } });
  const { id } = (await made.json()) as { id: string };
  const address = `/prompts?dialog=use&id=${id}`;
  const page = await plainBrowser(server, "member").open(address);
  const fill = (values: string[]) => page.submit("fill", { values });
  const refused = await fill(["The crane", "", " "]);
  expect(refused.status).toBe(400);
  expect(textOf(refused)).toContain('Fill in "reader"');
  expect(textOf(refused)).not.toContain('Fill in "incident"');
  expect(refused.document.querySelector("textarea")?.textContent?.trim()).toBe("The crane");
  const filled = await fill(["The crane", "", "Ada"]);
  const written = "Write on The crane, in three lines, for Ada.";
  expect(textOf(filled)).toContain(written);
  expect((await filled.submit("Use in Chat")).fields("send")).toMatchObject({ content: written });
});

it("a workflow is disabled, enabled and deleted on its page", async () => {
  const json = { name: "To be deleted", steps: [{ type: "log", config: { message: "x" } }] };
  const made = await server.ask("/api/workflows", { as: "owner", json });
  const { id } = (await made.json()) as { id: string };
  const browser = plainBrowser(server, "owner");
  const page = await browser.open(`/workflows/${id}`);
  const header = page.document.querySelector("main header");
  // One main action, one beside it, the others in the menu.
  const beside = [...(header?.querySelectorAll("a, button") ?? [])].filter((one) => !one.closest("details"));
  expect(beside.map((one) => one.textContent)).toEqual(["Edit", "Run"]);
  const runs = ({ document }: typeof page) =>
    document.querySelector("button[value=run]")?.hasAttribute("disabled");
  const disabled = await page.press("Disable");
  expect(runs(disabled)).toBe(true);
  const enabled = await disabled.press("Enable");
  expect(runs(enabled)).toBe(false);
  const asked = await browser.open(`/workflows/${id}?dialog=delete`);
  const deleted = await asked.submit("delete");
  expect([deleted.status, deleted.location]).toEqual([303, "/workflows"]);
  expect((await deleted.follow()).text).not.toContain("To be deleted");
});
