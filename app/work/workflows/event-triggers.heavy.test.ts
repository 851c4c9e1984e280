import { ne } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { db, transaction } from "~/core/db.server";
import { announce } from "~/platform/events/domain-events.service.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { documentJobs } from "~/work/documents/documents.jobs.server";
import { IngestInput } from "~/work/documents/ingestion/ingest.schema";
import { queueIngest } from "~/work/documents/ingestion/ingest.service.server";
import { jobs } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { engine } from "./engine/local-engine.server";
import { eventRun } from "./event-triggers.service.server";
import { countRunsOf } from "./runs.repo.server";
import { pageRuns, readFailedRun, readRun, runWorkflow, startWorkflows } from "./runs.service.server";
import { workflowJobs } from "./workflows.jobs.server";
import type { WorkflowInput } from "./workflows.schema";
import { createWorkflow } from "./workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stops: (() => Promise<void>)[];
beforeEach(() => {
  test = openTestDatabase();
  stops = [startWorkflows(), startJobs([...workflowJobs, ...documentJobs])];
});
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  test.close();
});

const FAILS: WorkflowInput["steps"] = [
  { type: "log", id: "say", config: { message: "{{ trigger.missing }}" } },
];
const TELLS: WorkflowInput["steps"] = [
  { type: "log", id: "say", config: { message: "{{ json(trigger) }}" } },
];
const make = (name: string, type: string, config: Record<string, unknown>, steps = TELLS) =>
  createWorkflow(test.actors.member, {
    name,
    description: "",
    triggers: [{ type, id: "start", config }],
    steps,
    connections: [],
  });

const runsOf = (workflow: string) => pageRuns(test.actors.member, { workflow, limit: 50 }).runs;
async function firstRun(workflow: string) {
  await expect.poll(() => runsOf(workflow)[0]?.state).toMatch(/succeeded|failed/);
  return readRun(test.actors.member, runsOf(workflow)[0]?.id ?? "");
}
async function fail(workflow: string) {
  const { id } = await runWorkflow(test.actors.member, workflow, {});
  await engine().ended(id, AbortSignal.timeout(10_000));
  return id;
}

it("starts a workflow for each failed run, with its facts, and none for its own failure", async () => {
  const all = make("On any failure", "failure", {}, FAILS);
  const failing = make("Import", "manual", {}, FAILS);
  const one = make("On a failed import", "failure", { workflow: failing.id });
  const other = make("On another failure", "failure", { workflow: all.id });
  const id = await fail(failing.id);
  const started = await firstRun(one.id);
  expect(started).toMatchObject({
    trigger: { type: "failure" },
    payload: { run: { id, workflowId: failing.id, workflowName: "Import", trigger: "manual", step: "say" } },
  });
  const { member, viewer } = test.actors;
  for (const actor of [member, viewer])
    expect(readFailedRun(actor, started.id)).toEqual({ id, workflowName: "Import" });
  expect(readFailedRun(member, id)).toBeUndefined();
  // It fails too, which starts nothing.
  expect((await firstRun(all.id)).state).toBe("failed");
  await fail(all.id);
  expect((await firstRun(other.id)).state).toBe("succeeded");
  expect([all, one, other].map((workflow) => runsOf(workflow.id).length)).toEqual([2, 1, 1]);
});

it("starts at most sixty runs of a trigger in an hour", async () => {
  const listening = make("On any failure", "failure", {});
  const failing = make("Import", "manual", {}, FAILS);
  for (let round = 0; round < 62; round++) await fail(failing.id);
  // The last one says why there are no more.
  await expect.poll(() => countRunsOf(db(), listening.id, "start", 0)).toBe(61);
  await fail(failing.id);
  expect(countRunsOf(db(), listening.id, "start", 0)).toBe(61);
  const skipped = { workflow: listening.id, state: "skipped", limit: 5 } as const;
  expect(pageRuns(test.actors.member, skipped).runs).toMatchObject([
    { trigger: { type: "failure" }, error: expect.stringContaining("60 runs within an hour") },
  ]);
});

it("starts at most sixty of many events that come at once", async () => {
  const { id } = make("On every budget", "budget", {});
  const budget = { id: "bud_1", name: "Budget", scope: "organisation", unit: "tokens", spent: 9, limit: 10 };
  transaction((tx) => {
    for (let n = 0; n < 80; n++)
      announce(tx, "budget.reached", { orgId: "org_test", budget, level: "used up" });
  });
  const open = () => db().select().from(jobs).where(ne(jobs.state, "succeeded")).all();
  await expect.poll(() => open().filter(({ kind }) => kind === eventRun.kind)).toEqual([]);
  expect(countRunsOf(db(), id, "start", 0)).toBe(61);
});

it("starts a workflow for a new document of its category, unless a workflow added it", async () => {
  const policies = make("Policies", "document", { category: "Policies" });
  const every = make("Every document", "document", {});
  const { member } = test.actors;
  const add = (title: string, more = {}) =>
    queueIngest(
      { ...member, ...more },
      IngestInput.parse({ title, text: `About ${title}.`, visibility: "organisation" }),
    );
  add("Own", { requestId: "run_1:step" });
  queueIngest(member, IngestInput.parse({ title: "Hidden", text: "Secret.", visibility: "named" }));
  add("Ships");
  expect(await firstRun(every.id)).toMatchObject({ payload: { document: { title: "Ships", type: "text" } } });
  expect([runsOf(every.id).length, runsOf(policies.id).length]).toEqual([1, 0]);
});

it("starts a workflow for a budget at the chosen level", async () => {
  const used = make("Used up", "budget", {});
  const near = make("Near", "budget", { level: "near or used up" });
  const budget = { id: "bud_1", name: "Budget", scope: "organisation", unit: "tokens", spent: 9, limit: 10 };
  transaction((tx) => announce(tx, "budget.reached", { orgId: "org_test", budget, level: "near" }));
  expect(await firstRun(near.id)).toMatchObject({ payload: { level: "near", budget: { spent: 9 } } });
  transaction((tx) => announce(tx, "budget.reached", { orgId: "org_test", budget, level: "used up" }));
  expect((await firstRun(used.id)).payload).toMatchObject({ level: "used up" });
  expect(runsOf(used.id)).toHaveLength(1);
});
