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

test("a conversation is renamed, found, pinned, moved to a folder, archived, deleted and restored", async ({
  page,
  open,
  server,
}) => {
  const id = await talk(server, "The lighthouse keeper's almanac is late");
  await open(`/chat/${id}`);
  await page.getByLabel("Rename conversation").click();
  await page.getByRole("textbox", { name: "Title" }).fill("Almanac");
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Almanac", exact: true })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/chat/${id}$`));

  const side = page.getByRole("navigation", { name: "Conversations" });
  await expect(side.getByRole("link", { name: "Almanac", exact: true })).toHaveAttribute(
    "aria-current",
    "page",
  );
  await side.getByRole("searchbox", { name: "Search conversations" }).fill("lightho keeper");
  await page.keyboard.press("Enter");
  const hit = page.getByRole("list", { name: "Messages found" }).getByRole("listitem");
  await expect(hit.locator("mark")).toHaveText(["lighthouse", "keeper"]);
  await expectAccessible(page);
  await hit.getByRole("link", { name: "Almanac", exact: true }).click();
  await expect(page.locator("article[data-marked]")).toContainText("The lighthouse keeper's almanac is late");
  await expect(page.locator("article[data-marked]")).toBeInViewport();

  await page.getByLabel("More actions for this conversation").click();
  await page.getByRole("button", { name: "Pin", exact: true }).click();
  await expect(side).toContainText("Pinned");
  await open("/chat/all?dialog=new-folder");
  await page.getByRole("dialog").getByLabel("Name").fill("Harbor");
  await page.getByRole("button", { name: "Create Folder" }).click();
  await expect(page.getByText('Folder "Harbor" created')).toBeVisible();
  await open(`/chat/${id}`);
  await page.getByLabel("More actions for this conversation").click();
  await page.getByRole("link", { name: "Move to Folder" }).click();
  await page.getByRole("dialog").getByRole("combobox").selectOption("Harbor");
  await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
  await expect(listed(page).filter({ hasText: "Almanac" })).toContainText("Harbor");

  await open(`/chat/${id}`);
  await page.getByLabel("More actions for this conversation").click();
  await page.getByRole("button", { name: "Archive" }).click();
  await expect(page.getByText("1 conversation archived")).toBeVisible();
  await expect(side.getByRole("link", { name: "Almanac", exact: true })).toHaveCount(0);
  await open("/chat/all?archived=true");
  await expect(listed(page)).toHaveCount(1);
  await page.getByRole("checkbox", { name: "Select Almanac" }).check({ force: true });
  await page
    .getByRole("form", { name: "Selected conversations" })
    .getByRole("button", { name: "Delete" })
    .click();
  await expect(page.getByText("No conversations here")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("1 conversation restored")).toBeVisible();
  await open("/chat/all?archived=true");
  await expect(listed(page)).toContainText(["Almanac"]);
  await server.ask(`/api/ai/conversations/${id}`, { as: "admin", method: "DELETE" });
});

test(
  "the list's actions rename, pin, file, archive, delete and restore",
  { tag: "@no-javascript" },
  async ({ page, open, server }, { project }) => {
    const name = `Tide table ${project.name}`;
    const renamed = `Ebb and flow ${project.name}`;
    const folder = `Sea ${project.name}`;
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

    await page.getByRole("button", { name: `Pin ${renamed}` }).click();
    await expect(page.getByText("1 conversation pinned")).toBeVisible();
    await expect(row(renamed).getByLabel("Pinned")).toBeVisible();
    await expect(listed(page).first()).toContainText(renamed);
    await page.getByRole("button", { name: `Unpin ${renamed}` }).click();
    await expect(row(renamed).getByLabel("Pinned")).toHaveCount(0);

    await page.getByRole("link", { name: "New Folder" }).click();
    await dialog.getByLabel("Name").fill(folder);
    await dialog.getByRole("button", { name: "Create Folder" }).click();
    await expect(page.getByText(`Folder "${folder}" created`)).toBeVisible();
    await open("/chat/all");
    await row(renamed).getByLabel(`More actions for ${renamed}`).click();
    await page.getByRole("link", { name: `Move ${renamed} to a folder` }).click();
    await dialog.getByRole("combobox").selectOption(folder);
    await dialog.getByRole("button", { name: "Move" }).click();
    await expect(row(renamed)).toContainText(folder);
    await page.getByRole("list", { name: "Filters" }).getByRole("link", { name: folder }).click();
    await expect(listed(page)).toHaveCount(1);
    await page.getByRole("link", { name: "Delete Folder" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete Folder" }).click();
    await expect(page.getByText(`Folder "${folder}" deleted`)).toBeVisible();
    await expect(row(renamed)).not.toContainText(folder, { useInnerText: true });

    await menu(renamed, "Archive");
    await expect(page.getByText("1 conversation archived")).toBeVisible();
    await expect(row(renamed)).toHaveCount(0);
    await page.getByRole("link", { name: "Archived" }).click();
    await menu(renamed, "Unarchive");
    await open("/chat/all");
    await menu(renamed, "Delete");
    await expect(page.getByText("1 conversation deleted")).toBeVisible();
    await expect(row(renamed)).toHaveCount(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText("1 conversation restored")).toBeVisible();
    await expect(row(renamed)).toHaveCount(1);
    await server.ask(`/api/ai/conversations/${id}`, { as: "admin", method: "DELETE" });
  },
);

const DAY = 24 * 60 * 60_000;

test(
  "conversations are grouped by age, come in pages, and several are filed, archived and deleted at once",
  { tag: "@no-javascript" },
  async ({ page, open, server }, { project }) => {
    const mark = project.name.replace("-", "_");
    const ages = [
      ["today", 0],
      ["week", 3],
      ["older", 30],
    ] as const;
    const add = (id: string, title: string, updatedAt: number) =>
      addConversation(id, [{ role: "user", text: title }], { userId: "usr_admin", title, updatedAt });
    writeDatabase(server, () => {
      for (const [age, days] of ages)
        add(`con_${age}_${mark}`, `Log of ${age} ${mark}`, Date.now() - days * DAY);
      for (let n = 0; n < 31; n++) add(`con_log_${mark}_${n}`, `Watch ${n} ${mark}`, 1_000_000 + n);
    });
    await page.setViewportSize({ width: 390, height: 844 });
    await open("/");
    await page.locator("summary[aria-label=Navigation]").click();
    const side = page.getByRole("navigation", { name: "Conversations" });
    for (const [period, age] of [
      ["Today", "today"],
      ["Last 7 days", "week"],
      ["Older", "older"],
    ] as const)
      await expect(
        side.getByRole("list", { name: period }).getByRole("link", { name: `Log of ${age} ${mark}` }),
      ).toBeVisible();
    await side.getByRole("link", { name: "All Conversations" }).click();
    await expect(page.getByRole("heading", { name: "Conversations", level: 1 })).toBeVisible();

    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("link", { name: "New Folder" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(`Logs ${mark}`);
    await page.getByRole("button", { name: "Create Folder" }).click();
    const own = listed(page).filter({ hasText: mark });
    const select = async (...titles: string[]) => {
      for (const title of titles)
        await page.getByRole("checkbox", { name: `Select ${title} ${mark}` }).check({ force: true });
    };
    const bar = page.getByRole("form", { name: "Selected conversations" });
    await open("/chat/all");
    await expect(listed(page)).toHaveCount(30);
    await page.getByRole("link", { name: "Next Page" }).click();
    await expect(own.filter({ hasText: `Watch 0 ${mark}` })).toBeVisible();
    await select("Watch 0", "Watch 1", "Watch 2");
    await bar.getByRole("combobox").selectOption(`Logs ${mark}`);
    await bar.getByRole("button", { name: "Move" }).click();
    await expect(page.getByText("3 conversations moved")).toBeVisible();
    await page.getByRole("link", { name: `Logs ${mark}` }).click();
    await expect(own).toHaveCount(3);
    // What was selected in another list isn't selected here.
    await select("Watch 0", "Watch 1");
    await bar.getByRole("button", { name: "Archive" }).click();
    await expect(page.getByText("2 conversations archived")).toBeVisible();
    await expect(own).toHaveCount(1);
    await page.getByRole("link", { name: "Archived" }).click();
    await select("Watch 0", "Watch 1");
    await bar.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("2 conversations deleted")).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText("2 conversations restored")).toBeVisible();
  },
);

test(
  "deleted conversations are listed and restored as long as they are kept",
  { tag: "@no-javascript" },
  async ({ page, open, server }, { project }) => {
    const mark = `Deleted ${project.name}`;
    const id = await talk(server, mark);
    await server.ask(`/api/ai/conversations/${id}`, { as: "admin", method: "DELETE" });
    await open("/chat/all");
    await expect(listed(page).filter({ hasText: mark })).toHaveCount(0);
    await page.getByRole("link", { name: "Recently Deleted" }).click();
    await page.getByRole("checkbox", { name: `Select ${mark}` }).check({ force: true });
    const bar = page.getByRole("form", { name: "Selected conversations" });
    await bar.getByRole("button", { name: "Restore" }).click();
    await expect(page.getByText("1 conversation restored")).toBeVisible();
    await open("/chat/all");
    await expect(listed(page).filter({ hasText: mark })).toHaveCount(1);
  },
);

test("deleting all conversations of a list asks first", async ({ page, open, server }, { project }) => {
  test.skip(project.name === "no-javascript");
  const folder = await server.ask("/api/ai/folders", { as: "admin", json: { name: "All at once" } });
  const { id: folderId } = (await folder.json()) as { id: string };
  for (const title of ["First of all", "Second of all"]) {
    const id = await talk(server, title);
    await server.ask(`/api/ai/conversations/${id}`, { as: "admin", method: "PATCH", json: { folderId } });
  }
  await open(`/chat/all?folder=${folderId}`);
  const bar = page.getByRole("form", { name: "Selected conversations" });
  await page.getByRole("checkbox", { name: "Select First of all" }).check({ force: true });
  await bar.getByRole("button", { name: "Select All 2" }).click();
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

test("another person's conversation is a page that doesn't exist", { tag: "@no-javascript" }, async ({
  page,
  open,
  server,
}) => {
  const id = await talk(server, "Kept to myself");
  await page.context().clearCookies();
  const [name = "", value = ""] = server.cookieOf("member").split("=");
  await page.context().addCookies([{ name, value, url: server.baseUrl }]);
  for (const path of [`/chat/${id}`, `/chat/${id}/share`, `/chat/shared/${id}`, "/chat/con_guessed"]) {
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path);
    await open(path);
    expect([path, (await answered).status()]).toEqual([path, 404]);
    await expect(page.getByRole("heading", { name: "Page Not Found" })).toBeVisible();
    await expect(page.getByText("Kept to myself")).toHaveCount(0);
  }
  const exported = await server.ask(`/chat/${id}/export?format=json`, { as: "member" });
  expect(exported.status).toBe(404);
});
