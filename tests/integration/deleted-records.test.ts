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
