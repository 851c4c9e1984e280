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

test("a long word from outside widens no page", async ({ page, open, server }) => {
  const word = (of: string) => of.repeat(300);
  const made = await server.ask("/api/workflows", {
    as: "owner",
    json: {
      name: word("n").slice(0, 80),
      description: word("d"),
      enabled: true,
      triggers: [
        { type: "manual", id: "by-hand" },
        {
          type: "form",
          id: "ask",
          config: {
            title: word("t").slice(0, 120),
            description: word("d"),
            inputs: `a${word("a").slice(0, 39)}: ${word("l").slice(0, 100)}`,
            button: word("b").slice(0, 40),
            thanks: word("T"),
          },
        },
      ],
      steps: [
        {
          type: "code",
          id: word("c").slice(0, 64),
          name: word("N").slice(0, 80),
          config: { code: `console.log("${word("m")}"); throw new Error("${word("e")}");`, input: "" },
          options: { onError: "continue" },
        },
        { type: "approval", id: "person", config: { question: word("q"), details: word("d") } },
      ],
    },
  });
  const { id } = (await made.json()) as { id: string };
  expect(made.status, id).toBe(201);
  const [{ path: form = "" } = {}] = (await (
    await server.ask(`/api/workflows/${id}/webhooks`, { as: "owner" })
  ).json()) as { path: string }[];
  const { id: run } = (await (
    await server.ask(`/api/workflows/run/${id}`, { as: "owner", json: {} })
  ).json()) as { id: string };
  await open(`/workflows/runs/${run}`);
  const guest = await page.getByRole("textbox", { name: "Link for a guest" }).inputValue();
  await server.ask(`/api/workflows/${id}`, { as: "owner", method: "PUT", json: { steps: [] } });
  for (const path of [
    `/workflows/runs/${run}`,
    `/workflows/${id}?from=1&to=2`,
    `/workflows/${id}?dialog=delete`,
    "/workflows",
    "/workflows/runs",
    `/workflows/builder?id=${id}&view=list`,
    "/",
    new URL(guest).pathname,
    form,
  ])
    await test.step(path, async () => {
      await open(path);
      await page.evaluate(() => {
        for (const closed of document.querySelectorAll("main details")) closed.setAttribute("open", "");
      });
      await expectToFit(page);
    });
});
