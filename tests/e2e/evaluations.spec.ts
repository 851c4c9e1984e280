import { addConversation } from "../support/conversations";
import { expect, expectAccessible, test } from "../support/fixtures";
import { writeDatabase } from "../support/live-database";

test.use({ role: "member", serverOf: "evaluations" });

test("asks questions of two models, shows who passes, and takes a rated answer as a question", {
  tag: "@no-javascript",
}, async ({ page, open, server }) => {
  await open("/personas");
  await page.getByRole("link", { name: "Evaluations", exact: true }).click();
  await page.getByRole("link", { name: "Create First Evaluation" }).click();
  const form = page.getByRole("dialog", { name: "New Evaluation" });
  await form.getByLabel("Name").fill("Harbor");
  await form.getByRole("button", { name: "Create Evaluation" }).click();
  await expect(page.getByRole("heading", { name: "Harbor" })).toBeVisible();

  const question = page.getByRole("dialog", { name: "Add Question" });
  const add = async (text: string, trait: string, value: string) => {
    await page.getByRole("link", { name: "Add Question" }).click();
    await question.getByRole("textbox", { name: "Question" }).fill(text);
    await question.getByLabel(trait).fill(value);
    await question.getByRole("button", { name: "Add Question" }).click();
  };
  await page.getByRole("link", { name: "Add Question" }).click();
  await question.getByRole("textbox", { name: "Question" }).fill("Which berth is free?");
  await question.getByRole("button", { name: "Add Question" }).click();
  await expect(question.getByText("Say at least one trait of a good answer").first()).toBeVisible();
  await expectAccessible(page);
  await question.getByLabel("Contains", { exact: true }).fill("a word that no model says");
  await question.getByRole("button", { name: "Add Question" }).click();
  await expect(page.getByText("Question added").first()).toBeVisible();
  await add("Say anything.", "Matches a pattern", ".");
  await expect(page.getByText("2 questions")).toBeVisible();

  await page.getByRole("link", { name: "New Run" }).click();
  const run = page.getByRole("dialog", { name: "New Run" });
  await run.getByLabel("Spending limit, in US dollars").fill("-1");
  await run.getByRole("button", { name: "Start Run" }).click();
  await expect(run.getByText("Enter an amount above 0")).toBeVisible();
  await run.getByLabel("Spending limit, in US dollars").fill("1");
  await run.getByRole("button", { name: "Start Run" }).click();
  await expect(page.getByText("Done", { exact: true })).toBeVisible();
  await expect(page.getByText("50% (1 of 2)")).toBeVisible();
  await expect(page.getByText(/^It doesn't contain "a word/)).toBeVisible();
  await expectAccessible(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^evaluation-.*\.csv$/);

  const said = [
    { role: "user" as const, text: "How tall is the Roland?" },
    { role: "assistant" as const, text: "Five and a half meters." },
  ];
  writeDatabase(server, () => addConversation("con_roland", said));
  await open("/chat/con_roland");
  await page.getByRole("button", { name: "Good answer" }).click();
  await page.getByRole("link", { name: "Add comment" }).click();
  await page.getByLabel("Let admins read this").check();
  await page.getByRole("button", { name: "Save Comment" }).click();
  await expect(page.getByRole("button", { name: "Good answer" })).toHaveAttribute("aria-pressed", "true");
  await open("/evaluations/ratings");
  const ratings = page.getByRole("list", { name: "Ratings" });
  await expect(ratings.getByText("How tall is the Roland?")).toBeVisible();
  await page.getByRole("link", { name: /^Add to an evaluation/ }).click();
  const rated = page.getByRole("dialog", { name: "Add to an Evaluation" });
  await expect(rated.getByLabel("Rubric")).toHaveValue(/^The answer says the same/);
  await expectAccessible(page);
  await rated.getByRole("button", { name: "Add Question" }).click();
  await expect(page.getByText("3 questions")).toBeVisible();
});
