import { expect, test } from "../support/fixtures";

test.use({ role: "owner", serverOf: "operations" });

test("the bell counts a new event on an open page and links to it", async ({ page, open, server }) => {
  await open("/personas");
  await expect(page.getByRole("link", { name: "Notifications", exact: true })).toBeVisible();
  const workflow = await server.ask("/api/workflows", {
    as: "owner",
    json: {
      name: "Nightly report",
      steps: [{ type: "http_request", config: { method: "GET", url: "http://127.0.0.1:9" } }],
    },
  });
  const { id } = (await workflow.json()) as { id: string };
  await server.ask(`/api/workflows/run/${id}`, { as: "owner", json: {} });
  await page.getByRole("link", { name: "Notifications, 1 unread" }).click();
  const row = page.getByRole("main").getByRole("listitem").filter({ hasText: "Nightly report" });
  await row.getByRole("link").first().click();
  await expect(page).toHaveURL(/\/workflows\/.*run_/);
  // It is read by being followed.
  await expect(page.getByRole("link", { name: "Notifications", exact: true })).toBeVisible();
});

test("a backup is created, downloaded, and restored after a confirmation; then people sign in again", async ({
  page,
  open,
  server,
}) => {
  await open("/settings/system");
  await page.getByRole("link", { name: "Measure" }).click();
  await expect(page.getByRole("region", { name: "Space by kind of data" })).toContainText("Audit log");
  await open("/settings/system");
  await page.getByRole("button", { name: "Back Up Now" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "-manual.tar.gz" });
  await expect(row).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    row.getByRole("link", { name: /^Download/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^backup-.*-manual\.tar\.gz$/);
  const restore = row.getByRole("link", { name: /^Restore/ });
  if (!(await restore.isVisible())) await row.locator("summary").click();
  await restore.click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("is verified first");
  await dialog.getByRole("link", { name: "Cancel" }).click();
  await expect(dialog).toHaveCount(0);

  await open("/prompts");
  await server.ask("/api/prompts", { as: "owner", json: { name: "Written later", text: "Hello" } });
  await page.reload();
  await expect(page.getByText("Written later")).toBeVisible();
  await open("/settings/system");
  if (!(await restore.isVisible())) await row.locator("summary").click();
  await restore.click();
  await dialog.getByRole("button", { name: "Restore" }).click();
  await expect(async () => {
    await page.goto("/login?local=1");
    await expect(page.getByLabel("Email")).toBeVisible({ timeout: 1000 });
  }).toPass();
  await page.getByLabel("Email").fill("owner@example.org");
  await page.getByLabel(/^Password/).fill("correct horse battery");
  await page.getByRole("button", { name: "Sign In" }).click();
  await open("/prompts");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Prompts");
  await expect(page.getByText("Written later")).toHaveCount(0);
});
