import { addWorkflows, workflowScreens } from "../support/demo-workflows";
import { expect, expectAccessible, expectToFit, IS_FULL, test } from "../support/fixtures";

test.use({ role: "owner", serverOf: "workflow runs" });

test.beforeAll(({ server }) => addWorkflows(server));

test("the pages of runs, workflows and approvals fit the window and pass axe", async ({
  page,
  open,
  server,
}) => {
  test.slow(IS_FULL);
  const screens = await workflowScreens(server);
  // Three states or four, three pages of a workflow and an approval.
  expect(screens.length).toBeGreaterThanOrEqual(7);
  for (const [path, heading] of IS_FULL ? screens : [...screens.slice(0, 1), ...screens.slice(-1)]) {
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
