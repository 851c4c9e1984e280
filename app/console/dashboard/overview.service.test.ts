import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { recordUsage } from "~/team/usage/usage.service.server";
import { runWorkflow, startWorkflows } from "~/work/workflows/runs.service.server";
import { createWorkflow } from "~/work/workflows/workflows.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { addDocument } from "../../../tests/support/documents";
import { dashboardStats, readOverview } from "./overview.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void> = async () => undefined;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  await stop();
  stop = async () => undefined;
  setClock();
  test.close();
});

it("has no data and the built-in model in a new organization", async () => {
  expect(await readOverview(test.actors.viewer)).toMatchObject({
    usage: { hasData: false, tokens: 0, spend: 0, change: { tokens: null, spend: null } },
    model: { id: "quarterdeck-offline", status: "built-in" },
    documents: { hasData: false, total: 0, newest: [] },
    workflows: { hasData: false, queued: 0, running: 0, waiting: 0, runs: [] },
    providers: { cards: [], online: 0 },
  });
});

it("compares with yesterday up to the same time", async () => {
  const record = (at: number, costMicros: number) => {
    setClock(() => at);
    transaction((tx) =>
      recordUsage(tx, test.actors.member, {
        providerId: null,
        providerType: "openai",
        model: "gpt-4o",
        inputTokens: 100,
        outputTokens: 0,
        costMicros,
        durationMs: 1,
        outcome: "ok",
      }),
    );
  };
  record(Date.UTC(2026, 4, 1, 10), 1_000_000);
  record(Date.UTC(2026, 4, 1, 18), 9_000_000);
  record(Date.UTC(2026, 4, 2, 9), 500_000);
  record(Date.UTC(2026, 4, 2, 11), 1_000_000);
  setClock(() => Date.UTC(2026, 4, 2, 12));
  expect((await readOverview(test.actors.viewer)).usage?.change).toEqual({ tokens: 1, spend: 0.5 });
});

it("lists the newest documents first", async () => {
  addDocument("First");
  addDocument("Second");
  const { documents } = await readOverview(test.actors.viewer);
  expect(documents).toMatchObject({ hasData: true, total: 2 });
  expect(documents?.newest.map(({ name }) => name)).toEqual(["Second", "First"]);
});

it("keeps its other parts when one can't be read", async () => {
  rawDatabase().exec("ALTER TABLE workflows RENAME TO elsewhere");
  addDocument("First");
  const { workflows, documents, usage } = await readOverview(test.actors.viewer);
  expect(workflows).toBeUndefined();
  expect([documents?.total, usage?.tokens]).toEqual([1, 0]);
});

it("is all zeros in a new organization", async () => {
  expect(await dashboardStats(test.actors.viewer)).toEqual({
    tokensToday: 0,
    spendToday: 0,
    workflowsQueued: 0,
    workflowsRunning: 0,
    workflowsWaiting: 0,
    ragDocuments: 0,
    providersOnline: 0,
  });
});

it("sums only today's tokens and spend", async () => {
  const record = (costMicros: number) =>
    transaction((tx) =>
      recordUsage(tx, test.actors.member, {
        providerId: null,
        providerType: "openai",
        model: "gpt-4o",
        inputTokens: 1000,
        outputTokens: 200,
        costMicros,
        durationMs: 1,
        outcome: "ok",
      }),
    );
  setClock(() => Date.UTC(2026, 4, 1, 12));
  record(9_000_000);
  setClock(() => Date.UTC(2026, 4, 2, 12));
  record(1_500_000);
  record(250_000);
  expect(await dashboardStats(test.actors.viewer)).toMatchObject({ tokensToday: 2400, spendToday: 1.75 });
});

it("counts a run that waits for approval as waiting, not as running", async () => {
  stop = startWorkflows();
  const { member, viewer } = test.actors;
  const { id } = createWorkflow(member, {
    name: "Asks",
    description: "",
    triggers: [{ type: "manual" }],
    steps: [{ type: "approval", config: { question: "Go on?" } }],
    connections: [],
  });
  await runWorkflow(member, id, {});
  await expect.poll(async () => (await dashboardStats(viewer)).workflowsWaiting).toBe(1);
  expect(await dashboardStats(viewer)).toMatchObject({ workflowsQueued: 0, workflowsRunning: 0 });
});
