import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { recordUsage } from "~/team/usage/usage.service.server";
import { RunQuery } from "~/work/workflows/runs.schema";
import { pageRuns, runWorkflow, startWorkflows } from "~/work/workflows/runs.service.server";
import { createWorkflow } from "~/work/workflows/workflows.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { readPlots } from "./plots.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void> = async () => undefined;
beforeEach(() => {
  test = openTestDatabase();
  setClock(() => Date.UTC(2026, 4, 2, 9, 30));
  stop = startWorkflows();
});
afterEach(async () => {
  await stop();
  setClock();
  test.close();
});

const make = (name: string, steps: Parameters<typeof createWorkflow>[1]["steps"]) =>
  createWorkflow(test.actors.member, {
    name,
    description: "",
    triggers: [{ type: "manual" }],
    steps,
    connections: [],
  });

it("are outlines in a new organization", async () => {
  const { usage, runs, waiting } = await readPlots(test.actors.viewer);
  expect([usage?.hasData, runs?.hasData, runs?.total, waiting]).toEqual([false, false, 0, []]);
});

it("show each person the usage that they may see", async () => {
  transaction((tx) =>
    recordUsage(tx, test.actors.member, {
      providerId: null,
      providerType: "openai",
      model: "gpt-4o",
      inputTokens: 100,
      outputTokens: 20,
      costMicros: 1_500_000,
      durationMs: 1,
      outcome: "ok",
    }),
  );
  const totalsOf = async (who: keyof typeof test.actors) => {
    const { usage } = await readPlots(test.actors[who]);
    return [usage?.scope, usage?.totals.requests, usage?.spend.series.map(({ name }) => name)];
  };
  expect(await totalsOf("admin")).toEqual(["organization", 1, ["gpt-4o"]]);
  expect(await totalsOf("member")).toEqual(["own", 1, ["gpt-4o"]]);
  expect(await totalsOf("viewer")).toEqual(["own", 0, []]);
});

it("count today's runs by hour and state, lead to them, and list what waits for those who may answer", async () => {
  const done = make("Report", [{ type: "log", config: { message: "x" } }]);
  const asking = make("Ask first", [{ type: "approval", config: { question: "Send it?" } }]);
  await runWorkflow(test.actors.member, done.id, {});
  const { id } = await runWorkflow(test.actors.member, asking.id, {});
  await expect
    .poll(() =>
      pageRuns(test.actors.member, RunQuery.parse({}))
        .runs.map(({ state }) => state)
        .sort(),
    )
    .toEqual(["succeeded", "waiting"]);
  const { runs, waiting } = await readPlots(test.actors.member);
  expect([runs?.total, runs?.chart.series.map(({ name }) => name)]).toEqual([2, ["Succeeded", "Waiting"]]);
  const [hour] = runs?.chart.points.filter(({ to }) => to !== undefined) ?? [];
  expect(hour?.to).toBe(
    `/workflows/runs?${new URLSearchParams({ from: "2026-05-02T09:00:00.000Z", before: "2026-05-02T10:00:00.000Z" })}`,
  );
  const listed = (search: Record<string, string>) =>
    pageRuns(test.actors.member, RunQuery.parse(search)).runs.length;
  expect(listed(Object.fromEntries(new URLSearchParams(hour?.to?.split("?")[1])))).toBe(2);
  // From a moment on and before one: of two hours that meet, one has the run.
  expect(listed({ from: "2026-05-02T09:30:00.000Z" })).toBe(2);
  expect(listed({ before: "2026-05-02T09:30:00.000Z" })).toBe(0);
  expect(listed({ from: "2026-05-02T10:00:00.000Z", before: "2026-05-02T11:00:00.000Z" })).toBe(0);
  expect(waiting).toMatchObject([{ title: "Ask first", to: `/workflows/runs/${id}` }]);
  expect((await readPlots(test.actors.viewer)).waiting).toEqual([]);
});
