import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "member", serverOf: "projects" });

test(
  "a folder becomes a project whose file only its conversations find",
  { tag: "@no-javascript" },
  async ({ page, open, server }, { project: { name: run } }) => {
    const name = `Harbor ${run}`;
    const made = await server.ask("/api/ai/folders", { as: "member", json: { name } });
    const { id } = (await made.json()) as { id: string };
    await open(`/chat/all?folder=${id}`);
    await page.getByRole("link", { name: "Project", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    await page.getByRole("textbox", { name: "Instructions" }).fill("Answer for the harbor office.");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Project saved")).toBeVisible();
    await page.getByLabel("Person", { exact: true }).selectOption({ index: 1 });
    await page.getByRole("button", { name: "Add Member" }).click();
    await expect(page.getByText("Member saved")).toBeVisible();
    const text = `The ${run} pontoon is closed from the 4th until the 9th of May.`;
    await page
      .getByLabel("Add files")
      .setInputFiles({ name: "pontoon.txt", mimeType: "text/plain", buffer: Buffer.from(text) });
    await page.getByRole("button", { name: "Upload" }).click();
    await expect(page.getByText("1 file added")).toBeVisible();
    await expectAccessible(page);
    await expect
      .poll(async () => {
        const json = { query: "When is the pontoon closed?", folderId: id };
        const found = await server.ask("/api/rag/search", { as: "member", json });
        return ((await found.json()) as { results: unknown[] }).results.length;
      })
      .toBeGreaterThan(0);

    await page.getByRole("link", { name: "New Chat" }).last().click();
    await expect(page.locator(`a[href$="/chat/projects/${id}"]`).first()).toBeVisible();
    const message = page.getByRole("textbox", { name: "Message" });
    await message.fill(`When is the ${run} pontoon closed?`);
    await page.getByRole("button", { name: "Send" }).click();
    // The call's own texts are folded away.
    const seen = (text: string) => page.getByRole("main").getByText(text).filter({ visible: true }).first();
    await expect(seen("until the 9th of May")).toBeVisible();
    // Elsewhere the same question finds nothing of it.
    await open("/chat");
    await message.fill(`When is the ${run} pontoon closed?`);
    await page.getByRole("button", { name: "Send" }).click();
    await expect(seen("No matching passages")).toBeVisible();
    await expect(page.getByText("until the 9th of May")).toHaveCount(0);

    await open(`/chat/projects/${id}`);
    await page.getByRole("link", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete Project" }).click();
    await expect(page.getByText(`Project "${name}" deleted`)).toBeVisible();
  },
);
