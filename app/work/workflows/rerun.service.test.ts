import { afterEach, beforeEach, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { findOrExplain } from "~/http/screen.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { engine } from "./engine/local-engine.server";
import { planRerun, rerunFrom, rerunFromForm } from "./rerun.service.server";
import { drawRun, listShownSteps } from "./run-drawing.service.server";
import type { Run, RunDetails } from "./runs.schema";
import { openStepOutput, readRun, refusalToRepeat, runWorkflow, startWorkflows } from "./runs.service.server";
import { stepTypes } from "./steps/index.server";
import type { WorkflowInput } from "./workflows.schema";
import { createWorkflow, updateWorkflow } from "./workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
beforeEach(() => {
  test = openTestDatabase();
  stop = startWorkflows();
});
afterEach(async () => {
  await stop();
  test.close();
});

const log = (id: string, message: string) => ({ type: "log", id, config: { message } });
const LIST: Partial<WorkflowInput> = {
  steps: [
    log("first", "{{ trigger.name }}"),
    log("second", "{{ steps.first.message }}!"),
    { type: "return", id: "end", config: { value: "{{ steps.second.message }}" } },
  ],
};

const make = (definition: Partial<WorkflowInput>) =>
  createWorkflow(test.actors.member, {
    name: "Greet",
    description: "",
    triggers: [{ type: "manual" }],
    connections: [],
    ...definition,
  });

async function ended({ id }: Pick<Run, "id">): Promise<RunDetails> {
  await engine().ended(id, AbortSignal.timeout(10_000));
  return readRun(test.actors.member, id);
}
const run = async (id: string, payload = {}) => ended(await runWorkflow(test.actors.member, id, payload));
const outcome = ({ steps }: RunDetails) =>
  steps.map(({ key, attempts, output }) => [key, attempts, (output as { message?: string }).message]);

it("begins at a step with the outputs of those before and an edited input", async () => {
  const { member } = test.actors;
  const first = await run(make(LIST).id, { name: "Ada" });
  expect(planRerun(member, first.id, "second")).toMatchObject({ kept: 1, label: "Log Output (second)" });
  const form = { step: "second", json: '{ "level": "warn", "message": "Edited" }' };
  const again = await ended(await rerunFromForm(member, first.id, form));
  expect(outcome(again)).toEqual([
    ["first", 0, "Ada"],
    ["second", 1, "Edited"],
    ["end", 1, undefined],
  ]);
  expect(again).toMatchObject({
    state: "succeeded",
    output: "Edited",
    payload: { name: "Ada" },
    rerunOf: { runId: first.id, step: "second", edited: true },
  });
  expect(listShownSteps(again).map(({ key, isKept }) => [key, isKept])).toEqual([
    ["first", true],
    ["second", undefined],
    ["end", undefined],
  ]);
  expect(drawRun(member, again)?.nodes.find(({ id }) => id === "first")).toMatchObject({
    state: "kept",
    took: null,
  });
  expect(readRun(member, first.id)).toMatchObject({ output: "Ada!", rerunOf: null });
  const entry = listAudit(test.actors.owner, { limit: 5 }).entries.find(
    ({ action }) => action === "workflow.run_rerun",
  );
  expect(entry).toMatchObject({ details: { step: "second", of: first.id, edited: true } });
});

it("runs an edited step with the rights of who edited it, an unchanged one with the workflow's", async () => {
  const { admin, member } = test.actors;
  const first = await run(make(LIST).id, { name: "Ada" });
  const runsAs = ({ id }: Pick<Run, "id">) =>
    rawDatabase().prepare("SELECT runs_as FROM workflow_runs WHERE id = ?").pluck().get(id);
  const edited = await rerunFrom(admin, first.id, { step: "second", input: { message: "Edited" } });
  expect(runsAs(edited)).toBe(admin.userId);
  expect(runsAs(await rerunFrom(admin, first.id, { step: "second" }))).toBeNull();
  // What is repeated of it is of who repeats it.
  await ended(edited);
  expect(runsAs(await rerunFrom(member, edited.id, { step: "second" }))).toBe(member.userId);
});

it("resolves the step again where its input was left as it is, also in a workflow that was mended", async () => {
  const { member } = test.actors;
  const { id } = make({
    steps: [log("first", "{{ trigger.name }}"), log("second", "{{ steps.first.none }}")],
  });
  const failed = await run(id, { name: "Ada" });
  expect(failed.state).toBe("failed");
  expect(planRerun(member, failed.id, "second").reason).toContain("they failed in this run");
  updateWorkflow(member, id, { steps: LIST.steps });
  const again = await ended(await rerunFrom(member, failed.id, { step: "second" }));
  expect(again).toMatchObject({ state: "succeeded", version: 2, output: "Ada!", rerunOf: { edited: false } });
  const unchanged = { step: "second", json: planRerun(member, again.id, "second").json ?? "" };
  expect((await rerunFromForm(member, again.id, unchanged)).rerunOf).toMatchObject({ edited: false });
});

it("keeps what doesn't come after the step: other branches and the items of a loop", async () => {
  const { member } = test.actors;
  const { id } = make({
    steps: [
      { type: "each", id: "loop", config: { items: "[1, 2]" } },
      log("item", "{{ item }}"),
      log("other", "beside"),
      log("after", "after"),
    ],
    connections: [
      { from: "manual_1", to: "loop" },
      { from: "manual_1", to: "other" },
      { from: "loop", to: "item", branch: "each" },
      { from: "loop", to: "after", branch: "done" },
    ],
  });
  const first = await run(id);
  const again = await ended(await rerunFrom(member, first.id, { step: "after" }));
  const repeated = again.steps.filter(({ attempts, type }) => attempts > 0 && type === "log");
  expect(repeated.map(({ key }) => key)).toEqual(["after"]);
  expect(again.steps.map(({ key }) => key)).toContain("loop[1].item");
  const whole = await ended(await rerunFrom(member, first.id, { step: "loop" }));
  const items = whole.steps.filter(({ attempts, type }) => attempts > 0 && type === "log");
  expect(items.map(({ key }) => key)).toEqual(["loop[0].item", "loop[1].item", "after"]);
  await expect(rerunFrom(member, first.id, { step: "loop", input: { items: [] } })).rejects.toThrow(
    "steers the run",
  );
  expect(() => planRerun(member, first.id, "loop[0].item")).toThrow("outside loops");
});

it("begins again at a loop that failed", async () => {
  const { member } = test.actors;
  const steps = (maxRounds: number) => [
    log("first", "{{ trigger.name }}"),
    { type: "while", id: "loop", config: { condition: "index < 3", maxRounds } },
    log("item", "{{ string(index) }}"),
  ];
  const { id } = make({ steps: steps(2) });
  const failed = await run(id, { name: "Ada" });
  expect(failed).toMatchObject({ state: "failed", stepId: "loop" });
  expect(planRerun(member, failed.id, "loop")).toMatchObject({ kept: 1, reason: expect.any(String) });
  updateWorkflow(member, id, { steps: steps(5) });
  const again = await ended(await rerunFrom(member, failed.id, { step: "loop" }));
  expect(again).toMatchObject({ state: "succeeded", rerunOf: { step: "loop" } });
  expect(again.steps.filter(({ attempts }) => attempts === 0).map(({ key }) => key)).toEqual(["first"]);
});

it.each([true, false])("keeps what ran at the same time, in a list: %s", async (isList) => {
  const { member } = test.actors;
  const line = (from: string, to: string) => ({ from, to });
  const lines = [line("both", "one"), line("both", "two"), line("one", "end"), line("two", "end")];
  const { id } = make({
    steps: [{ type: "parallel", id: "both", config: {} }, log("one", "1"), log("two", "2"), log("end", "!")],
    connections: isList ? [] : [line("manual_1", "both"), ...lines],
  });
  const first = await run(id);
  const ran = async (step: string) =>
    (await ended(await rerunFrom(member, first.id, { step }))).steps
      .filter(({ attempts, type }) => attempts > 0 && type === "log")
      .map(({ key }) => key);
  expect(await ran("one")).toEqual(["one", "end"]);
  expect(await ran("two")).toEqual(["two", "end"]);
  expect((await ran("both")).toSorted()).toEqual(["end", "one", "two"]);
});

it("copies outputs that are files", async () => {
  const { member } = test.actors;
  const { id } = make({
    steps: [
      { type: "code", id: "big", config: { code: "return 'x'.repeat(300000)", input: "" } },
      log("last", "{{ string(steps.big.bytes) }}"),
    ],
  });
  const first = await run(id);
  const again = await ended(await rerunFrom(member, first.id, { step: "last" }));
  const parts: Buffer[] = [];
  for await (const part of await openStepOutput(member, again.id, "big")) parts.push(part as Buffer);
  expect(Buffer.concat(parts)).toHaveLength(300_002);
});

it("refuses an input that the step refuses, a step that is gone, and who may not", async () => {
  const { member, viewer } = test.actors;
  const { id } = make(LIST);
  const first = await run(id, { name: "Ada" });
  const form = { step: "second", json: '{"message": ""}' };
  await expect(rerunFromForm(member, first.id, form)).rejects.toMatchObject({
    fields: { json: ["Message: Enter a message."] },
  });
  await expect(rerunFromForm(member, first.id, { ...form, json: "{" })).rejects.toThrow("Invalid JSON");
  await expect(rerunFrom(viewer, first.id, { step: "second" })).rejects.toMatchObject({ code: "forbidden" });
  updateWorkflow(member, id, { steps: [log("first", "only")] });
  await expect(rerunFrom(member, first.id, { step: "second" })).rejects.toThrow("no longer has this step");
  expect(refusalToRepeat(member, id)).toBeUndefined();
  updateWorkflow(member, id, { enabled: false });
  expect(refusalToRepeat(member, id)).toBe("The workflow is disabled. Enable it first.");
  await expect(rerunFrom(member, first.id, { step: "first" })).rejects.toThrow("disabled");
  expect(() => planRerun(member, first.id, "first")).toThrow("disabled");
});

it("plans none while the run goes on", async () => {
  const { member } = test.actors;
  const { id } = make({ steps: [{ type: "approval", id: "ask", config: { question: "Go on?" } }] });
  const open = await runWorkflow(member, id, {});
  expect(findOrExplain(() => planRerun(member, open.id, "ask"))).toEqual({
    missing: "The run hasn't ended. Wait, or cancel it first.",
  });
});

it("can read each type's resolved input again", () => {
  const samples: Record<string, Record<string, unknown>> = {
    http_request: { url: "https://example.com", headers: "Accept: text/plain\nX-A: b" },
    send_email: { to: "a@example.com, b@example.com", subject: "S", body: "B" },
    database_query: { sql: "SELECT 1", parameters: "[1]" },
    approval: { question: "Q", sendTo: "a@example.com" },
  };
  for (const { type, config, defaults } of stepTypes) {
    const first = config.safeParse({ ...defaults, ...samples[type] });
    if (!first.success) continue;
    expect([type, config.safeParse(JSON.parse(JSON.stringify(first.data)))]).toEqual([
      type,
      { success: true, data: first.data },
    ]);
  }
});
