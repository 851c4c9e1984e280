import { parseHTML } from "linkedom";
import { afterAll, beforeAll, expect, it } from "vitest";
import { plainBrowser, submissionOf } from "../support/forms";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const html = { accept: "text/html" };
const dialogOf = async (response: Response) => {
  const { document } = parseHTML(await response.text());
  const dialog = document.querySelector("dialog");
  return { document, text: dialog?.textContent?.replaceAll(/\s+/g, " ") ?? "" };
};

it.each([
  ["persona", "/personas", { name: "Watch", systemPrompt: "Short" }, "systemPrompt"],
  ["prompt", "/prompts", { name: "Watch", text: "Short" }, "text"],
])(
  "a %s that was deleted while it was edited can be created again from what was typed",
  async (noun, path, record, field) => {
    const made = await server.ask(`/api${path}`, { as: "member", json: record });
    const { id } = (await made.json()) as { id: string };
    const address = `${path}?dialog=edit&id=${id}`;
    const page = await dialogOf(await server.ask(address, { as: "member", headers: html }));
    const { fields } = submissionOf(page.document, "update");
    await server.ask(`/api${path}/${id}`, { as: "member", method: "DELETE" });

    const form = { ...fields, [field]: "Typed for an hour" };
    const refused = await server.ask(address, { as: "member", form, headers: html });
    expect(refused.status).toBe(404);
    const shown = await dialogOf(refused);
    expect(shown.text).toMatch(
      new RegExp(`${noun} not found. It may have been deleted. Create it again`, "i"),
    );
    const again = submissionOf(shown.document, "create");
    expect(again.fields).toMatchObject({ name: "Watch", [field]: "Typed for an hour" });

    const blank = await server.ask(address, {
      as: "member",
      form: { ...again.fields, name: "" },
      headers: html,
    });
    const kept = submissionOf((await dialogOf(blank)).document, "create");
    expect(kept.fields).toMatchObject({ [field]: "Typed for an hour" });
    const created = await server.ask(address, { as: "member", form: again.fields, headers: html });
    expect(created.status).toBe(303);
    const list = (await (await server.ask(`/api${path}`, { as: "member" })).json()) as object[];
    expect(list).toContainEqual(expect.objectContaining({ [field]: "Typed for an hour" }));

    const stale = await dialogOf(await server.ask(address, { as: "member", headers: html }));
    expect(stale.text).toMatch(new RegExp(`^${noun} not found ?It may have been deleted.`, "i"));
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
    intents: ["save-provider", "add-provider"],
    typed: { displayName: "Models of the north" },
    kept: { provider: "openai", displayName: "Models of the north" },
  },
] as const;

it.each(forms)("a deleted $noun can be added again from what was typed", async (form) => {
  const { noun, api, record, page, intents, typed, kept } = form;
  const made = await server.ask(api, { as: "admin", json: record });
  const { id } = (await made.json()) as { id: string };
  const address = `${page}&id=${id}`;
  const { document } = await dialogOf(await server.ask(address, { as: "admin", headers: html }));
  const { fields } = submissionOf(document, intents[0]);
  await server.ask(`${api}/${id}`, { as: "admin", method: "DELETE" });

  const refused = await server.ask(address, { as: "admin", form: { ...fields, ...typed }, headers: html });
  expect(refused.status).toBe(404);
  const shown = await dialogOf(refused);
  expect(shown.text).toContain(`${noun} not found. It may have been deleted. Add it again to keep`);
  const again = submissionOf(shown.document, intents[1]);
  expect((await server.ask(address, { as: "admin", form: again.fields, headers: html })).status).toBe(303);
  const list = (await (await server.ask(api, { as: "admin" })).json()) as object[];
  expect(list).toContainEqual(expect.objectContaining(kept));

  const stale = await dialogOf(await server.ask(address, { as: "admin", headers: html }));
  expect(stale.text).toMatch(new RegExp(`^${noun} not found ?It may have been deleted.`));
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
  const page = await dialogOf(await server.ask(address, { as: "member", headers: html }));
  const { fields } = submissionOf(page.document, "change");
  await server.ask(`/api/rag/check/questions/${id}`, { as: "member", method: "DELETE" });

  const form = { ...fields, "quote-0": "water is at noon" };
  const refused = await dialogOf(await server.ask(address, { as: "member", form, headers: html }));
  expect(refused.text).toContain("Question not found. It may have been deleted. Add it again to keep");
  const again = submissionOf(refused.document, "add");
  expect((await server.ask(address, { as: "member", form: again.fields, headers: html })).status).toBe(303);
  const list = await (await server.ask("/api/rag/check/questions", { as: "member" })).text();
  expect(list).toContain('"water is at noon"');

  const stale = await dialogOf(await server.ask(address, { as: "member", headers: html }));
  expect(stale.text).toMatch(/^Question not found ?It may have been deleted./);
});

it("the retrieval check's plain forms search, add, run, edit and delete a question", async () => {
  const ingested = await server.ask("/api/rag/ingest", {
    as: "member",
    json: { title: "Handbook", text: "Travel costs are paid back within ten days. Keep the receipts." },
  });
  const { id } = (await ingested.json()) as { id: string };
  const isReady = async () =>
    (await (await server.ask(`/api/rag/documents/${id}`, { as: "member" })).json()) as object;
  await expect.poll(isReady, { timeout: 20_000 }).toMatchObject({ status: "ready" });
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
  await expect.poll(figures, { timeout: 20_000 }).toMatch(/Hybrid.*1\.000/);

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
  const page = await server.ask("/shared/guessed", { headers: html });
  expect(page.status).toBe(404);
  expect(parseHTML(await page.text()).document.querySelector("main")?.textContent).toContain("Harbor Desk");
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
  const open = async (response: Response) => parseHTML(await response.text()).document;
  const save = (document: Document, name: string) => {
    const form = { ...submissionOf(document, "save").fields, name };
    return server.ask(address, { as: "member", form, headers: html });
  };
  const page = await open(await server.ask(address, { as: "member", headers: html }));
  await change({ name: "Report" });
  const refused = await save(page, "Briefing");
  expect(refused.status).toBe(409);
  const shown = await open(refused);
  expect(shown.body.textContent).toContain("What you entered differs in: Name.");
  expect((await save(shown, "Briefing")).status).toBe(303);

  const again = await open(await server.ask(address, { as: "member", headers: html }));
  await server.ask(`/api/workflows/${id}`, { as: "member", method: "DELETE" });
  const missing = await save(again, "Typed for an hour");
  expect(missing.status).toBe(404);
  const kept = await open(missing);
  expect(kept.body.textContent).toContain(
    "Workflow not found. It may have been deleted. Saving creates it again.",
  );
  expect((await save(kept, "Typed for an hour")).status).toBe(303);
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
  const fill = (values: string[]) =>
    server.ask(address, {
      as: "member",
      form: { intent: "fill", id, values },
      headers: html,
    });
  const refused = await fill(["The crane", "", " "]);
  expect(refused.status).toBe(400);
  const { document, text: shown } = await dialogOf(refused);
  expect(shown).toContain('Fill in "reader"');
  expect(shown).not.toContain('Fill in "incident"');
  expect(document.querySelector("textarea")?.textContent?.trim()).toBe("The crane");
  const filled = await dialogOf(await fill(["The crane", "", "Ada"]));
  const written = "Write on The crane, in three lines, for Ada.";
  expect(filled.text).toContain(written);
  const { action, fields } = submissionOf(filled.document, "Use in Chat");
  const chat = await server.ask(action, { as: "member", form: fields, headers: html });
  const { document: page } = parseHTML(await chat.text());
  expect(submissionOf(page, "send").fields).toMatchObject({ content: written });
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
