import type { Page } from "@playwright/test";
import { addConversation, addSummary, fillContext } from "../support/conversations";
import { expect, expectAccessible, IS_FULL, test } from "../support/fixtures";
import { writeDatabase } from "../support/live-database";

test.use({ role: "member" });

const MODEL = "quarterdeck-offline";

const questions = (page: Page) => page.getByRole("article", { name: "You" });
const answers = (page: Page) => page.getByRole("article", { name: "Assistant" });

test("edits a message and regenerates its answer", async ({ page, open, server }) => {
  test.slow(IS_FULL);
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
  await expect(questions(page)).toContainText("Version 2 / 2");
  await expect(page.getByRole("button", { name: "Regenerate" })).toBeEnabled();

  await page.getByRole("link", { name: "Regenerate with another model" }).click();
  await page.getByRole("combobox", { name: "Regenerate with" }).selectOption(MODEL);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Regenerate" }).last().click();
  await expect(answers(page)).toContainText("Version 2 / 2");
  if (!IS_FULL) return;
  await page.getByRole("link", { name: "Compare versions" }).click();
  await expect(page.getByRole("heading", { name: /^Version [12]/ })).toHaveCount(2);
  await expectAccessible(page);
});

test("panels of the last messages open above the composer on a phone, with a budget warning", async ({
  page,
  open,
  server,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const record = { target: "person:usr_member", unit: "tokens", period: "day", limit: 0 };
  const made = await server.ask("/api/budgets", { as: "owner", json: record });
  const { id: budget } = (await made.json()) as { id: string };
  const said = Array.from({ length: 20 }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    text: `Verse ${n}.`,
  }));
  writeDatabase(server, () => addConversation("con_phone", said, { title: "By the sea", model: MODEL }));
  const isOnTop = (name: string) =>
    page
      .locator("[data-message-panel]")
      .getByRole("button", { name })
      .evaluate((button) => {
        const { left, top, width, height } = button.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return hit !== null && button.contains(hit);
      });
  await open("/chat/con_phone");
  await expect(page.getByText("is used up")).toBeVisible();
  await answers(page).last().getByRole("button", { name: "Good answer" }).click();
  await answers(page).last().getByRole("link", { name: "Add comment" }).click();
  await expect.poll(() => isOnTop("Save Comment")).toBe(true);
  await page.getByRole("link", { name: "Cancel" }).click();
  await answers(page).last().getByRole("link", { name: "Regenerate with another model" }).click();
  await expect.poll(() => isOnTop("Regenerate")).toBe(true);
  await page.getByRole("link", { name: "Cancel" }).click();
  await questions(page).last().hover();
  await questions(page).last().getByRole("link", { name: "Edit message" }).click();
  await expect.poll(() => isOnTop("Send")).toBe(true);
  await server.ask(`/api/budgets/${budget}`, { as: "owner", method: "DELETE" });
});

test("the summary of older messages is read, edited and undone @no-javascript", async ({
  page,
  open,
  server,
}) => {
  const said = Array.from({ length: 8 }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    text: `Verse ${n}.`,
  }));
  writeDatabase(server, () => {
    addConversation("con_long", said, { title: "A long poem", model: MODEL });
    addSummary("con_long", 3, "They wrote four verses.");
    fillContext("con_long", 7);
  });
  await open("/chat/con_long");
  await expect(page.getByText("context 57% full")).toBeVisible();
  const stands = page.getByText(/^Models are sent a summary of the messages above, in place of about 9,870/);
  await stands.click();
  const summary = page.getByRole("textbox", { name: "Summary" });
  await expect(summary).toHaveValue("They wrote four verses.");
  await expectAccessible(page);
  await summary.fill("They wrote of the sea.");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Summary saved")).toBeVisible();
  if (!(await summary.isVisible())) await stands.click();
  await expect(summary).toHaveValue("They wrote of the sea.");
  await expect(page.getByText("edited by you")).toBeVisible();
  await page.getByRole("button", { name: "Undo Summary" }).click();
  await expect(page.getByText(/^Summary undone/)).toBeVisible();
  await expect(stands).toBeHidden();
});

test("200 messages: opens at the end, pages back in place, and opens a found message", async ({
  page,
  open,
  server,
}) => {
  const id = "con_saga";
  const said = Array.from({ length: 200 }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    text: `Verse ${n}.\n\n${"The sea was calm. ".repeat(n % 9)}`,
  }));
  writeDatabase(server, () => addConversation(id, said, { title: "The saga", model: MODEL }));
  await open(`/chat/${id}`);
  const verse = (n: number) => page.locator(`#msg_${id}_${n}`);
  await expect(page.getByRole("article")).toHaveCount(50);
  await expect(verse(199)).toBeInViewport();
  const earlier = page.getByRole("link", { name: "Show earlier messages" });
  await earlier.scrollIntoViewIfNeeded();
  const before = await verse(150).evaluate((element) => element.getBoundingClientRect().top);
  await earlier.click();
  await expect(verse(100)).toBeAttached();
  const after = await verse(150).evaluate((element) => element.getBoundingClientRect().top);
  expect(Math.abs(after - before)).toBeLessThan(4);
  await open(`/chat/${id}?message=msg_${id}_60#msg_${id}_60`);
  await expect(page.locator("article[data-marked]")).toContainText("Verse 60.");
  await expect(page.locator("article[data-marked]")).toBeInViewport();
  await page.getByRole("link", { name: "Show later messages" }).click();
  await expect(verse(85)).toBeInViewport();
  await expect(verse(90)).toBeAttached();
  await page.getByRole("link", { name: "Show Latest Messages" }).click();
  await expect(verse(199)).toBeInViewport();
});
