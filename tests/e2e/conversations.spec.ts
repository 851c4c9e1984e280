import type { Page } from "@playwright/test";
import { addConversation } from "../support/conversations";
import { expect, expectAccessible, test } from "../support/fixtures";
import { writeDatabase } from "../support/live-database";
import type { TestServer } from "../support/server";

test.use({ role: "admin" });

async function talk(server: TestServer, content: string): Promise<string> {
  const sent = await server.ask("/api/ai/chat", {
    as: "admin",
    json: { model: "quarterdeck-offline", messages: [{ role: "user", content }], tools: [] },
  });
  await sent.text();
  return sent.headers.get("x-conversation-id") ?? "";
}

const listed = (page: Page) => page.getByRole("list", { name: "Conversations" }).getByRole("listitem");

test("a conversation is found by its words in the side list, and opens at them", async ({
  page,
  open,
  server,
}) => {
  const id = await talk(server, "The lighthouse keeper's almanac is late");
  // If the browser had to ask for the routes first, it would take /chat/all for a conversation.
  await page.route("**/__manifest*", () => undefined);
  await open(`/chat/${id}`);
  const side = page.getByRole("navigation", { name: "Conversations" });
  const link = side.getByRole("link", { name: /^The lighthouse/ });
  await expect(link).toHaveAttribute("aria-current", "page");
  await side.getByRole("searchbox", { name: "Search conversations" }).fill("lightho keeper");
  await page.keyboard.press("Enter");
  const hit = page.getByRole("list", { name: "Messages found" }).getByRole("listitem");
  await expect(hit.locator("mark")).toHaveText(["lighthouse", "keeper"]);
  await expectAccessible(page);
  await hit.getByRole("link", { name: /^The lighthouse/ }).click();
  await expect(page.locator("article[data-marked]")).toContainText("The lighthouse keeper's almanac is late");
  await expect(page.locator("article[data-marked]")).toBeInViewport();
  await server.ask(`/api/ai/conversations/${id}`, { as: "admin", method: "DELETE" });
});

test("the list's actions rename, archive, delete and restore", async ({ page, open, server }) => {
  const name = "Tide table";
  const renamed = "Ebb and flow";
  const id = await talk(server, name);
  const row = (title: string) => listed(page).filter({ hasText: title });
  const menu = async (title: string, action: string) => {
    await row(title).getByLabel(`More actions for ${title}`).click();
    await row(title)
      .getByRole("button", { name: `${action} ${title}` })
      .click();
  };
  const dialog = page.getByRole("dialog");
  await open("/chat/all");
  await page.getByRole("link", { name: `Rename ${name}` }).click();
  await dialog.getByLabel("Title").fill("");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(dialog.getByLabel("Title")).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("Title").fill(renamed);
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByText("Conversation renamed")).toBeVisible();

  await menu(renamed, "Archive");
  await expect(page.getByText("1 conversation archived")).toBeVisible();
  await expect(row(renamed)).toHaveCount(0);
  await page.getByRole("link", { name: "Archived" }).click();
  await menu(renamed, "Unarchive");
  // A page that is left at once may not have sent it.
  await expect(row(renamed)).toHaveCount(0);
  await open("/chat/all");
  await menu(renamed, "Delete");
  await expect(page.getByText("1 conversation deleted")).toBeVisible();
  await expect(row(renamed)).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("1 conversation restored")).toBeVisible();
  await expect(row(renamed)).toHaveCount(1);
  await server.ask(`/api/ai/conversations/${id}`, { as: "admin", method: "DELETE" });
});

test("several selected conversations are filed, archived and deleted at once", async ({
  page,
  open,
  server,
}) => {
  const title = (n: number) => `Log ${n} of the watch`;
  writeDatabase(server, () => {
    for (const n of [1, 2, 3]) {
      const more = { userId: "usr_admin", title: title(n), updatedAt: Date.now() };
      addConversation(`con_log_${n}`, [{ role: "user", text: title(n) }], more);
    }
  });
  const made = await server.ask("/api/ai/folders", { as: "admin", json: { name: "Logs" } });
  expect(made.status).toBe(201);
  const bar = page.getByRole("form", { name: "Selected conversations" });
  const select = async (...numbers: number[]) => {
    for (const n of numbers)
      await page.getByRole("checkbox", { name: `Select ${title(n)}` }).check({ force: true });
  };
  await open("/chat/all");
  await select(1, 2, 3);
  await bar.getByRole("combobox").selectOption("Logs");
  await bar.getByRole("button", { name: "Move" }).click();
  await expect(page.getByText("3 conversations moved")).toBeVisible();
  await page.getByRole("list", { name: "Filters" }).getByRole("link", { name: "Logs" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Logs" })).toBeVisible();
  await expect(listed(page)).toHaveCount(3);
  // What was selected in another list isn't selected here.
  await select(1, 2);
  await bar.getByRole("button", { name: "Archive" }).click();
  await expect(page.getByText("2 conversations archived")).toBeVisible();
  await expect(listed(page)).toHaveCount(1);
  await select(3);
  await bar.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("1 conversation deleted")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("1 conversation restored")).toBeVisible();
});

test("deleting all conversations of a list asks first", async ({ page, open, server }) => {
  const folder = await server.ask("/api/ai/folders", { as: "admin", json: { name: "All at once" } });
  const { id: folderId } = (await folder.json()) as { id: string };
  for (const title of ["First of all", "Second of all"]) {
    const id = await talk(server, title);
    await server.ask(`/api/ai/conversations/${id}`, { as: "admin", method: "PATCH", json: { folderId } });
  }
  await open(`/chat/all?folder=${folderId}`);
  const bar = page.getByRole("form", { name: "Selected conversations" });
  await page.getByRole("checkbox", { name: "Select First of all" }).check({ force: true });
  await bar.getByRole("button", { name: "Select All 2 Shown" }).click();
  await bar.getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("alertdialog", { name: "Delete all 2 conversations?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toBeHidden();
  await expect(listed(page)).toHaveCount(2);
  await bar.getByRole("button", { name: "Delete" }).click();
  await question.getByRole("button", { name: "Delete 2 conversations" }).click();
  await expect(page.getByText("2 conversations deleted")).toBeVisible();
  await expect(page.getByText("No conversations here")).toBeVisible();
});
