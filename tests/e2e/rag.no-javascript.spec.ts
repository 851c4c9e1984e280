import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "member" });

test("uploads several files and follows their progress", async ({ page, open }) => {
  await open("/rag?dialog=ingest&tab=file");
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  await expect(dialog).toContainText("PDF, Word, Excel");
  await expect(dialog).toContainText("at most 50 MB each");
  await dialog.getByLabel("Category").selectOption("Products");
  const text = (name: string, words: string) => ({
    name,
    mimeType: "text/plain",
    buffer: Buffer.from(words),
  });
  await dialog
    .getByLabel("Files", { exact: true })
    .setInputFiles([
      text("anchors.txt", "Anchors weigh two tons."),
      text("chains.md", "# Chains\n\nA chain has links."),
      text("nothing.pdf", "This is no PDF at all."),
    ]);
  await dialog.getByRole("button", { name: /^Ingest (3 )?Files$/ }).click();
  await expect(page).toHaveURL(/\/rag\?batch=/);
  const panel = page.getByRole("region", { name: "Added Together" });
  await expect(async () => {
    await page.reload();
    await expect(panel.getByRole("status")).toContainText("3 of 3 documents ready", { timeout: 2000 });
    await expect(panel.getByRole("button", { name: "Cancel Remaining" })).toHaveCount(0, { timeout: 1000 });
  }).toPass();
  await expectAccessible(page);
  for (const name of ["anchors.txt", "chains.md"])
    await expect(page.locator("main li[data-row]").filter({ hasText: name })).toContainText("Ready");
  await panel.getByRole("link", { name: "Show All Documents" }).click();
  await expect(panel).toHaveCount(0);
});
