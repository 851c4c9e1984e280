import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "member", serverOf: "skills" });

const SKILL = `---
name: handover
description: Use it when a shift is handed over.
---

Name what is open, then who knows more.
`;

test("is written, chosen for a persona that asks another, and loaded in its chat", {
  tag: "@no-javascript",
}, async ({ page, open, server }) => {
  const offline = { defaultModel: "quarterdeck-offline" };
  await server.ask("/api/personas", { as: "member", json: { name: "Desk", ...offline } });
  await open("/personas");
  await page.getByRole("link", { name: "Skills", exact: true }).click();
  await page.getByRole("link", { name: "Create First Skill" }).click();
  const form = page.getByRole("dialog", { name: "New Skill" });
  await form.getByLabel("SKILL.md").fill("No front matter");
  await form.getByRole("button", { name: "Create Skill" }).click();
  await expect(form.getByText(/^Begin with a front matter/)).toBeVisible();
  await form.getByLabel("SKILL.md").fill(SKILL);
  await expectAccessible(page);
  await form.getByRole("button", { name: "Create Skill" }).click();
  await expect(page.getByText('Skill "handover" created')).toBeVisible();

  await open("/personas?dialog=new");
  const dialog = page.getByRole("dialog", { name: "New Persona" });
  await dialog.getByLabel("Name").fill("Lead");
  await dialog.getByLabel("handover").check();
  await dialog.getByLabel("Desk").check();
  await dialog.getByRole("button", { name: "Create Persona" }).click();
  await expect(page.getByText("Persona created successfully")).toBeVisible();
  await page.getByRole("button", { name: "Chat with Lead" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("skill.load handover");
  await page.getByRole("button", { name: "Send" }).click();
  const answer = page.getByRole("article", { name: "Assistant" }).last();
  await expect(answer).toContainText("then who knows more");
  await page.getByRole("textbox", { name: "Message" }).fill("persona.ask Desk What is open?");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(answer).toContainText("persona.ask");
  await expect(answer).toContainText("Desk");
  await expectAccessible(page);
});
