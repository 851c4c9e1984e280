import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "member" });

const MODEL = "quarterdeck-offline";

const questions = (page: Page) => page.getByRole("article", { name: "You" });
const answers = (page: Page) => page.getByRole("article", { name: "Assistant" });

test("edits a message, regenerates its answer, switches versions and branches", {
  tag: "@no-javascript",
}, async ({ page, open, server }) => {
  const messages = [{ role: "user", content: "Please kv.set colour blue" }];
  const json = { messages, model: MODEL, tools: [] };
  const begun = await server.ask("/api/ai/chat", { as: "member", json });
  const id = begun.headers.get("x-conversation-id");
  await begun.text();
  await open(`/chat/${id}`);

  await questions(page).hover();
  await page.getByRole("link", { name: "Edit message" }).click();
  await page.getByRole("textbox", { name: "Edit message" }).fill("What is the colour?");
  await page.getByRole("article", { name: "You" }).getByRole("button", { name: "Send" }).click();
  await expect(questions(page)).toContainText("What is the colour?");
  await expect(page.getByRole("button", { name: "Regenerate" })).toBeEnabled();
  await page.goto(`/chat/${id}`);
  await expect(questions(page)).toContainText("Version 2 / 2");

  await page.getByRole("link", { name: "Regenerate with another model" }).click();
  await page.getByRole("combobox", { name: "Regenerate with" }).selectOption(MODEL);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Regenerate" }).last().click();
  await expect(page.getByRole("button", { name: "Regenerate" })).toBeEnabled();
  await page.goto(`/chat/${id}`);
  await expect(answers(page)).toContainText("Version 2 / 2");
  await answers(page).getByRole("button", { name: "Good answer" }).click();
  await expect(answers(page).getByRole("link", { name: "Add comment" })).toBeVisible();
  await page.getByRole("link", { name: "Compare versions" }).click();
  await expect(page.getByRole("heading", { name: /^Version [12]/ })).toHaveCount(2);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Use This Version" }).first().click();
  await expect(page.getByRole("heading", { name: /^Version [12]/ })).toHaveCount(0);
  await expect(answers(page)).toContainText("Version 1 / 2");

  await questions(page).getByRole("button", { name: "Previous version" }).click();
  await expect(questions(page)).toContainText("Please kv.set colour blue");
  await answers(page).getByRole("button", { name: "Branch from here" }).click();
  await expect(page).not.toHaveURL(new RegExp(`${id}`));
  await expect(questions(page)).toContainText("Please kv.set colour blue");
  await expect(page.getByRole("button", { name: "Previous version" })).toHaveCount(0);
});

test("opens a long conversation at its end and loads earlier messages above", {
  tag: "@no-javascript",
}, async ({ page, open, server, javaScriptEnabled }) => {
  const messages = Array.from({ length: 121 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message number ${index}.`,
  }));
  const json = { messages, model: MODEL, tools: [] };
  const begun = await server.ask("/api/ai/chat", { as: "member", json });
  const id = begun.headers.get("x-conversation-id");
  await begun.text();
  await open(`/chat/${id}`);
  await expect(page.getByRole("article")).toHaveCount(50);
  const first = page.getByText("Message number 72.");
  await page.getByRole("link", { name: "Show earlier messages" }).click();
  await expect(page.getByText("Message number 22.")).toBeVisible();
  if (javaScriptEnabled === false) {
    await expect(page.getByText("These are earlier messages.")).toBeVisible();
    await page.getByRole("link", { name: "Show Latest Messages" }).click();
    await expect(page.getByRole("textbox", { name: "Message" })).toBeVisible();
  } else {
    await expect(page.getByRole("article")).toHaveCount(100);
    await expect(first).toBeInViewport();
  }
});
