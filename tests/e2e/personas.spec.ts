import { expect, test } from "../support/fixtures";

test.describe("a member", () => {
  test.use({ role: "member" });

  test(
    "creates, changes, duplicates and deletes a persona",
    { tag: "@no-javascript" },
    async ({ page, open }, { project }) => {
      const name = `Analyst ${project.name}`;
      const renamed = `Writer ${project.name}`;
      await open("/personas");
      await page.getByRole("link", { name: "New Persona" }).click();
      const form = page.getByRole("dialog", { name: "New Persona" });
      await expect(form.getByLabel("Default model")).toHaveValue("gpt-4o");
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
      // The next one begins with another model.
      await page.getByRole("link", { name: "New Persona" }).click();
      await expect(form.getByLabel("Default model")).toHaveValue("gpt-3.5-turbo");
      await form.getByRole("link", { name: "Cancel" }).click();

      await page.getByRole("button", { name: `Chat with ${name}` }).click();
      await expect(page).toHaveURL(/\/chat$/);
      await expect(page.locator("option:checked", { hasText: name }).first()).toBeAttached();
      await open("/personas");
      await page.getByRole("link", { name: `Edit ${name}` }).click();
      const edit = page.getByRole("dialog", { name: "Edit Persona" });
      await expect(edit.getByLabel("web.fetch")).toBeChecked();
      await edit.getByLabel("Name").fill(renamed);
      await edit.getByLabel("web.fetch").uncheck();
      await edit.getByRole("button", { name: "Save Changes" }).click();
      await expect(page.getByText("Persona updated successfully")).toBeVisible();
      const after = page.getByRole("article").filter({ hasText: renamed });
      await expect(after).not.toContainText("web.fetch");

      await after.getByLabel(`More actions for ${renamed}`).click();
      await page.getByRole("link", { name: `Duplicate ${renamed}` }).click();
      await expect(form.getByLabel("Name")).toHaveValue(`${renamed} copy`);
      await expect(form.getByLabel("System prompt")).toHaveValue("Name your sources.");
      await form.getByRole("link", { name: "Cancel" }).click();

      await after.getByLabel(`More actions for ${renamed}`).click();
      await page.getByRole("link", { name: `Delete ${renamed}` }).click();
      const confirm = page.getByRole("alertdialog", { name: `Delete "${renamed}"?` });
      await confirm.getByRole("button", { name: "Delete Persona" }).click();
      await expect(page.getByText(`Persona "${renamed}" deleted`)).toBeVisible();
      await expect(after).toHaveCount(0);
    },
  );

  test("shows errors at their fields, and keeps what was typed", async ({ page, open }) => {
    await open("/personas?dialog=new");
    const form = page.getByRole("dialog", { name: "New Persona" });
    await form.getByLabel("System prompt").fill("Kept.");
    await form.getByRole("button", { name: "Create Persona" }).click();
    await expect(form.getByRole("alert")).toHaveText("Persona name is required");
    await expect(form.getByLabel("Name")).toBeFocused();
    await expect(form.getByLabel("Name")).toHaveAccessibleDescription("Persona name is required");
    await expect(form.getByLabel("System prompt")).toHaveValue("Kept.");
  });

  test("shows that the name is taken", async ({ page, open, server }, { project }) => {
    const name = `Taken ${project.name}`;
    await server.ask("/api/personas", { method: "POST", as: "member", json: { name } });
    await open("/personas?dialog=new");
    const form = page.getByRole("dialog", { name: "New Persona" });
    await form.getByLabel("Name").fill(name);
    await form.getByLabel("http.request").check();
    await form.getByRole("button", { name: "Create Persona" }).click();
    const message = `A persona named "${name}" already exists`;
    await expect(form.getByText(`Failed to create persona: ${message}.`)).toBeVisible();
    await expect(form.getByLabel("Name")).toHaveAccessibleDescription(message);
    await expect(form.getByLabel("http.request")).toBeChecked();
  });
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("sees personas and the reason why they can't change them", async ({ page, open, server }, {
    project,
  }) => {
    const name = `Seen ${project.name}`;
    await server.ask("/api/personas", { method: "POST", as: "member", json: { name } });
    await open("/personas?dialog=new");
    await expect(page.getByRole("article").filter({ hasText: name })).toBeVisible();
    await expect(page.getByRole("link", { name: "New Persona" })).toHaveCount(0);
    await expect(page.getByRole("link", { name: `Edit ${name}` })).toHaveCount(0);
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.getByText("Only members, admins and owners can edit personas.")).toBeVisible();
  });
});
