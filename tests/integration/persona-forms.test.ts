import { afterAll, beforeAll, expect, it } from "vitest";
import { type PlainPage, plainBrowser } from "../support/forms";
import { startServer, type TestServer } from "../support/server";

const HERE = "/personas";

let server: TestServer;
let member: ReturnType<typeof plainBrowser>;
beforeAll(async () => {
  server = await startServer();
  member = plainBrowser(server, "member");
});
afterAll(() => server?.close());

const dialog = ({ document }: PlainPage) =>
  document.querySelector("dialog")?.textContent?.replaceAll(/\s+/g, " ") ?? "";
const cards = ({ document }: PlainPage) =>
  [...document.querySelectorAll("article")].map(({ textContent }) => textContent ?? "");
const toast = ({ document }: PlainPage) => document.querySelector("[data-toast] p")?.textContent;
const linkTo = ({ document }: PlainPage, label: string) =>
  [...document.querySelectorAll("a")]
    .find((link) => [link.getAttribute("aria-label"), link.textContent].includes(label))
    ?.getAttribute("href") ?? "";

async function add(as: "member" | "owner", path: string, json: unknown): Promise<{ id: string }> {
  const made = await server.ask(path, { as, json });
  expect(made.status, await made.clone().text()).toBe(201);
  return (await made.json()) as { id: string };
}

it("a persona is created, changed, duplicated and deleted", async () => {
  const form = await member.open(`${HERE}?dialog=new`);
  expect(form.fields("create").defaultModel).toBe("quarterdeck-offline");
  expect(dialog(form)).toMatch(/^New Persona/);
  // A hint for tools that an admin turned off, which none is.
  expect(dialog(form)).not.toContain("Turned off by an admin");
  const typed = { defaultModel: "gpt-4o", systemPrompt: "Name your sources.", mode: "research" };
  const created = await form.submit("create", { name: "Analyst", ...typed, tools: "web.fetch" });
  const list = await created.follow();
  expect(toast(list)).toBe("Persona created successfully");
  const [card] = cards(list);
  for (const part of ["Analyst", "Name your sources.", "Research", "gpt-4o", "web.fetch"])
    expect(card).toContain(part);
  // The next one begins empty.
  const next = await member.open(`${HERE}?dialog=new`);
  expect(next.fields("create").defaultModel).toBe("quarterdeck-offline");
  const chat = await list.submit("persona");
  const chosen = [...chat.document.querySelectorAll("option[selected]")].map(
    ({ textContent }) => textContent,
  );
  expect(chosen).toContain("Analyst");

  const edit = await member.open(linkTo(list, "Edit Analyst"));
  expect(edit.fields("update")).toMatchObject({ ...typed, tools: "web.fetch" });
  expect(dialog(edit)).toMatch(/^Edit Persona/);
  const changed = await (await edit.submit("update", { name: "Writer", tools: undefined })).follow();
  expect(toast(changed)).toBe("Persona updated successfully");
  expect(cards(changed)[0]).toContain("Writer");
  expect(cards(changed)[0]).not.toContain("web.fetch");

  const copy = await member.open(linkTo(changed, "Duplicate Writer"));
  expect(copy.fields("create")).toMatchObject({ ...typed, name: "Writer copy" });

  const question = await member.open(linkTo(changed, "Delete Writer"));
  expect(dialog(question)).toContain('Delete "Writer"?');
  const deleted = await (await question.submit("delete")).follow();
  expect(toast(deleted)).toBe('Persona "Writer" deleted');
  expect(cards(deleted)).toEqual([]);
});

it("a persona is tried before it is saved, and keeps what was typed", async () => {
  const form = await member.open(`${HERE}?dialog=new`);
  const typed = { name: "Keeper", systemPrompt: "Answer as a lighthouse keeper.", tools: "kv.get" };
  const unasked = await form.submit("Ask", typed);
  expect(unasked.status).toBe(400);
  expect(dialog(unasked)).toContain("Enter a question");
  const tried = await unasked.submit("Ask", { question: "Who goes there?" });
  expect(dialog(tried)).toMatch(/Answer by quarterdeck-offline.*not a language model/);
  expect(tried.fields("create")).toMatchObject({ ...typed, question: "Who goes there?" });
  expect(toast(await (await tried.submit("create")).follow())).toBe("Persona created successfully");
});

it("a persona is shared with a group, and comes back from its export as a private one", async () => {
  const group = await add("owner", "/api/groups", { name: "Night shift" });
  const form = await member.open(`${HERE}?dialog=new`);
  const shared = { name: "Pager", visibility: "groups", groups: group.id };
  const list = await (await form.submit("create", shared)).follow();
  expect(cards(list)[0]).toMatch(/Pager.*Groups/s);
  const seen = async () => cards(await plainBrowser(server, "viewer").open(HERE)).join();
  expect(await seen()).not.toContain("Pager");
  const join = { as: "owner", method: "PUT" } as const;
  expect((await server.ask(`/api/groups/${group.id}/members/usr_viewer`, join)).ok).toBe(true);
  expect(await seen()).toContain("Pager");

  const exported = await server.ask(linkTo(list, "Export Pager"), { as: "member" });
  expect(exported.headers.get("content-disposition")).toContain("pager.json");
  const importing = await member.open(`${HERE}?dialog=import`);
  const imported = await (await importing.submit("import", { json: await exported.text() })).follow();
  expect(toast(imported)).toBe("Imported 1 persona");
  expect(cards(imported)).toContainEqual(expect.stringMatching(/Pager.*Private/s));
});

it("a persona can't be deleted while a workflow uses it", async () => {
  const persona = await add("member", "/api/personas", { name: "Used" });
  const steps = [{ type: "ai_completion", config: { prompt: "Sum up", persona: persona.id } }];
  await add("member", "/api/workflows", { name: "Digest", steps });
  const page = await member.open(`${HERE}?dialog=delete&id=${persona.id}`);
  expect(dialog(page)).toContain('"Used" can\'t be deleted');
  expect(dialog(page)).toContain('It is used by the workflow "Digest". Choose another persona there first.');
  expect(page.document.querySelector("dialog [name=intent]")).toBeNull();
});

it("an older version replaces what someone else saved only once that was said", async () => {
  const { id } = await add("member", "/api/personas", { name: "Shared", systemPrompt: "Be brief" });
  const edit = await member.open(`${HERE}?dialog=edit&id=${id}`);
  const json = { systemPrompt: "Name your sources" };
  await server.ask(`/api/personas/${id}`, { as: "admin", method: "PATCH", json });
  const refused = await edit.submit("update", { systemPrompt: "Be thorough" });
  expect(refused.status).toBe(409);
  expect(dialog(refused)).toMatch(/changed since you opened it.* differs in: System prompt/);
  expect(refused.fields("update").systemPrompt).toBe("Be thorough");
  const saved = async () => (await server.ask(`/api/personas/${id}`, { as: "member" })).json();
  expect(await saved()).toMatchObject(json);
  expect(toast(await (await refused.submit("update")).follow())).toBe("Persona updated successfully");
  expect(await saved()).toMatchObject({ systemPrompt: "Be thorough" });
});

it("a taken name is said above and at its field, and the rest is kept", async () => {
  await add("member", "/api/personas", { name: "Taken" });
  const form = await member.open(`${HERE}?dialog=new`);
  const refused = await form.submit("create", { name: "Taken", tools: "http.request" });
  const message = 'A persona named "Taken" already exists';
  expect(dialog(refused)).toContain(`Failed to create persona: ${message}.`);
  expect(refused.described("name")).toBe(message);
  expect(refused.fields("create")).toMatchObject({ name: "Taken", tools: "http.request" });
});

it("prompts and workflows of other programs are imported as personas are", async () => {
  const imported = async (path: string, value: unknown) => {
    const form = await member.open(`${path}?dialog=import`);
    return (await form.submit("import", { json: JSON.stringify(value) })).follow();
  };
  const prompts = [{ command: "/sum", title: "Sum up", content: "Sum up {{text}}" }];
  expect(toast(await imported("/prompts", prompts))).toBe("Imported 1 prompt");
  expect(toast(await imported("/prompts", prompts))).toBe("Imported 0 prompts; you had 1 already");
  const nodes = ["manualTrigger", "code"].map((type) => ({ name: type, type: `n8n-nodes-base.${type}` }));
  expect(toast(await imported("/workflows", { name: "Flow", nodes, connections: {} }))).toBe(
    "Workflow created. Its description lists 1 node to look at",
  );
  const refused = await (await member.open("/prompts?dialog=import")).submit("import", { json: "{" });
  expect(dialog(refused)).toContain("Invalid JSON. Paste a complete export");
});
