import { addWorkflows, workflowScreens } from "../support/demo-workflows";
import { expect, expectAccessible, expectToFit, test } from "../support/fixtures";

test.use({ role: "owner", serverOf: "workflow runs" });

test("the pages of runs, workflows and approvals fit the window and pass axe", async ({
  page,
  open,
  server,
}) => {
  test.slow();
  await addWorkflows(server);
  const screens = await workflowScreens(server);
  // Three states or four, three pages of a workflow and an approval.
  expect(screens.length).toBeGreaterThanOrEqual(7);
  for (const [path, heading] of screens) {
    await test.step(path, async () => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await open(path);
      await expect(page.getByRole("heading", { level: 1 }).first()).toContainText(heading);
      await expectAccessible(page);
      await expectToFit(page);
    });
  }
});

test("a run's graph with two branches fits on a phone, and isn't squeezed beside its steps", async ({
  page,
  open,
  server,
}) => {
  await addWorkflows(server);
  const runs = (await (await server.ask("/api/runs", { as: "owner" })).json()) as {
    id: string;
    workflowName: string;
  }[];
  const run = runs.find(({ workflowName }) => workflowName === "Nine o'clock digest");
  await page.setViewportSize({ width: 390, height: 844 });
  await open(`/workflows/runs/${run?.id}`);
  const graph = page.getByRole("region", { name: "Graph" });
  await expect(graph.getByRole("listitem")).toHaveCount(7);
  const hidden = () => graph.evaluate((frame) => frame.scrollWidth - frame.clientWidth);
  expect(await hidden()).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await hidden()).toBe(0);
  const box = await graph.getByRole("listitem").first().boundingBox();
  expect(box?.width).toBeCloseTo(208, 0);
});

test("a workflow is disabled, enabled and deleted on its page", { tag: "@no-javascript" }, async ({
  page,
  open,
  server,
}) => {
  const response = await server.ask("/api/workflows", {
    as: "owner",
    json: { name: "To be deleted", steps: [{ type: "log", config: { message: "x" } }] },
  });
  const { id } = (await response.json()) as { id: string };
  await open(`/workflows/${id}`);
  const more = page.getByLabel("More actions");
  // One main action, one beside it, the others in the menu.
  const header = page.getByRole("main").locator("header").first();
  await expect(header.getByRole("button")).toHaveText(["Run"]);
  await expect(header.getByRole("link")).toHaveText(["Edit"]);
  await more.click();
  await page.getByRole("button", { name: "Disable" }).click();
  await expect(page.getByRole("button", { name: "Run", exact: true })).toBeDisabled();
  await page.getByRole("button", { name: "Enable" }).click();
  await expect(page.getByRole("button", { name: "Run", exact: true })).toBeEnabled();
  await more.click();
  await page.getByRole("link", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete Workflow" }).click();
  await expect(page).toHaveURL(/\/workflows$/);
  await expect(page.getByText("To be deleted")).toHaveCount(0);
});
