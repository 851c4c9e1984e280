import { readFile } from "node:fs/promises";
import { expect, expectAccessible, IS_FULL, test } from "../support/fixtures";

test.describe("a member", () => {
  test.use({ role: "member" });

  test("creates a persona, chats with it, and deletes it", async ({ page, open }) => {
    const name = "Analyst";
    await open("/personas");
    await page.getByRole("link", { name: "New Persona" }).click();
    const form = page.getByRole("dialog", { name: "New Persona" });
    await expect(form.getByLabel("Default model")).toHaveValue("quarterdeck-offline");
    // Where it can be called, the first of these is the default.
    await form.getByLabel("Default model").selectOption("gpt-4o");
    await form.getByLabel("Name").fill(name);
    await form.getByLabel("System prompt").fill("Name your sources.");
    await form.getByLabel("Mode", { exact: true }).selectOption("research");
    await form.getByLabel("web.fetch").check();
    await form.getByRole("button", { name: "Create Persona" }).click();
    await expect(page.getByText("Persona created successfully")).toBeVisible();

    const card = page.getByRole("article").filter({ hasText: name });
    await expect(card).toContainText("Name your sources.");
    await expect(card).toContainText("Research");
    await expect(card).toContainText("gpt-4o");
    await expect(card).toContainText("web.fetch");
    await page.getByRole("button", { name: `Chat with ${name}` }).click();
    await expect(page).toHaveURL(/\/chat$/);
    await expect(page.locator("option:checked", { hasText: name }).first()).toBeAttached();
    await expect(page.getByRole("link", { name: new RegExp(`^Chat settings: ${name} · `) })).toBeVisible();
    await open("/personas");
    await card.getByLabel(`More actions for ${name}`).click();
    await page.getByRole("link", { name: `Delete ${name}` }).click();
    const confirm = page.getByRole("alertdialog", { name: `Delete "${name}"?` });
    await confirm.getByRole("button", { name: "Delete Persona" }).click();
    await expect(page.getByText(`Persona "${name}" deleted`)).toBeVisible();
    await expect(card).toHaveCount(0);
  });

  test("is exported to a file, and imported from one", async ({ page, open, server }) => {
    await server.ask("/api/personas", { as: "member", json: { name: "Pager" } });
    await open("/personas");
    const card = page
      .getByRole("article")
      .filter({ has: page.getByRole("heading", { name: "Pager", exact: true }) });
    await card.getByLabel("More actions for Pager").click();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export Pager" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("pager.json");
    await page.getByRole("link", { name: "Import" }).click();
    const importing = page.getByRole("dialog", { name: "Import Personas" });
    const choosing = page.waitForEvent("filechooser");
    await importing.getByRole("button", { name: "Choose File" }).click();
    await (await choosing).setFiles(await file.path());
    await expect(importing.getByLabel("JSON")).toHaveValue(await readFile(await file.path(), "utf8"));
    await importing.getByRole("button", { name: "Import" }).click();
    await expect(page.getByText("Imported 1 persona")).toBeVisible();
  });

  if (IS_FULL)
    test(
      "finds a tried persona, and one that can't be deleted, accessible",
      { tag: "@no-javascript" },
      async ({ page, open, server }, { project }) => {
        await open("/personas?dialog=new");
        const trial = page.getByRole("region", { name: "Try it" });
        await trial.getByRole("textbox", { name: "Question" }).fill("Who goes there?");
        await trial.getByRole("button", { name: "Ask" }).click();
        await expect(trial.getByRole("status")).toContainText("not a language model");
        await expectAccessible(page);
        const json = { name: `Used ${project.name}` };
        const made = await server.ask("/api/personas", { as: "member", json });
        const { id } = (await made.json()) as { id: string };
        const steps = [{ type: "ai_completion", config: { prompt: "Sum up", persona: id } }];
        await server.ask("/api/workflows", { as: "member", json: { name: "Digest", steps } });
        await open(`/personas?dialog=delete&id=${id}`);
        await expect(page.getByRole("dialog")).toContainText("It is used by the workflow");
        await expectAccessible(page);
      },
    );

  if (IS_FULL)
    test(
      "finds the notice of a stale save accessible",
      { tag: "@no-javascript" },
      async ({ page, open, server }, { project }) => {
        const json = { name: `Stale ${project.name}`, systemPrompt: "Be brief" };
        const made = await server.ask("/api/personas", { as: "member", json });
        const { id } = (await made.json()) as { id: string };
        await open(`/personas?dialog=edit&id=${id}`);
        const edit = page.getByRole("dialog", { name: "Edit Persona" });
        await edit.getByLabel("System prompt").fill("Be thorough");
        const change = { systemPrompt: "Name your sources" };
        await server.ask(`/api/personas/${id}`, { as: "admin", method: "PATCH", json: change });
        await edit.getByRole("button", { name: "Save Changes" }).click();
        await expect(edit.getByText(/changed since you opened it/)).toBeVisible();
        await expectAccessible(page);
        await server.ask(`/api/personas/${id}`, { as: "member", method: "DELETE" });
      },
    );
});
