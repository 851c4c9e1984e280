import { parseHTML } from "linkedom";
import { afterAll, beforeAll, expect, it } from "vitest";
import { submissionOf } from "../support/forms";
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
  expect(filled.text).toContain("Write on The crane, in three lines, for Ada.");
});
