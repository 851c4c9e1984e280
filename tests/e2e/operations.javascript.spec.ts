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
