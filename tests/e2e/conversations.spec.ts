import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";
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
  await expect(page.getByRole("heading", { level: 1, name: "Almanac", exact: true })).toBeVisible();
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
  await open(`/chat/all?dialog=move&id=${id}`);
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
