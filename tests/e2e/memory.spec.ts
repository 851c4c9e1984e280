import { expect, expectAccessible, openSettings, test } from "../support/fixtures";

test.use({ role: "member", serverOf: "memory" });

const HERE = "/settings/profile/memory";

test("is turned on, proposed by a chat, kept and used in the next", { tag: "@no-javascript" }, async ({
  page,
  open,
}) => {
  await open("/chat");
  await openSettings(page);
  await expect(page.getByRole("checkbox", { name: "Memory" })).toHaveCount(0);
  await open("/settings/profile");
  await page.getByRole("link", { name: "Manage Memory" }).click();
  await expect(page.getByText("Nothing is remembered")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("switch", { name: "Use memory in chats" }).click();
  await expect(page.getByRole("switch", { name: "Use memory in chats" })).toBeChecked();

  await open("/chat");
  await page.getByRole("textbox", { name: "Message" }).fill("memory.remember I prefer metric units");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("article", { name: "Assistant" }).last()).toContainText("memory.remember");
  const proposal = page.getByRole("listitem").filter({ hasText: "I prefer metric units" });
  await expect(proposal.getByRole("button", { name: "Forget" })).toBeVisible();
  await expectAccessible(page);
  await proposal.getByRole("button", { name: "Keep" }).click();
  await expect(page.getByText("Memory kept")).toBeVisible();
  await expect(page).toHaveURL(/\/chat\/con_/);
  await expect(page.getByRole("button", { name: /^Keep / })).toHaveCount(0);

  await open(HERE);
  const kept = page.getByRole("list", { name: "Kept memories" });
  await expect(kept).toContainText("I prefer metric units");
  await kept.getByRole("link", { name: "Edit I prefer metric units" }).click();
  await page.getByLabel("What to remember").fill("I prefer SI units");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(kept).toContainText("I prefer SI units");
  await kept.getByRole("link", { name: "Delete I prefer SI units" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Nothing is remembered")).toBeVisible();
});
