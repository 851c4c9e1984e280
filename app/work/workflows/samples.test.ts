import { afterEach, beforeEach, expect, it } from "vitest";
import { db } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { readBuilder } from "./builder.service.server";
import { insertRun, putStep, type RunRow, type RunStepRow } from "./runs.repo.server";
import { sampleNames } from "./sample-values.shared";
import { pinOutput, pinStepOutput, readSamples, unpinOutput } from "./samples.service.server";
import { tryDraftStep } from "./try-draft.service.server";
import { createWorkflow } from "./workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const STEPS = [
  { id: "first", type: "return", config: { value: '{{ {"n": trigger.n} }}' } },
  { id: "say", type: "log", config: { level: "info", message: "{{ steps.first.n }}!" } },
  { id: "broken", type: "log", config: { level: "info", message: "{{ steps.say.none }}" } },
];

/** A workflow whose last run had the data { n: 3 }. */
function workflowWithRun(steps: object[] = STEPS) {
  const input = { name: "Sums", description: "", connections: [], triggers: [{ type: "manual" }], steps };
  const { id } = createWorkflow(test.actors.member, input as never);
  const run: Partial<RunRow> = { id: "run_1", orgId: test.actors.member.orgId, workflowId: id, version: 1 };
  const at = { createdAt: 5, startedAt: 5, finishedAt: 9, depth: 0, crashes: 0, idleMs: 0 };
  insertRun(db(), {
    ...run,
    ...at,
    state: "succeeded",
    triggerId: "manual_1",
    triggerType: "manual",
    payload: { n: 3 },
  } as RunRow);
  const row = { runId: "run_1", type: "log", state: "succeeded", attempts: 1, startedAt: 5, finishedAt: 9 };
  putStep(db(), { ...row, key: "say", stepId: "say", position: 1, output: { message: "7!" } } as RunStepRow);
  return id;
}

const formOf = (id: string, stepId: string, more: object = {}) => {
  const { draft } = readBuilder(test.actors.member, { id });
  const { name, description, model, ...rest } = draft;
  return { name, description, model, draft: JSON.stringify(rest), tryStep: stepId, ...more };
};

const never = new AbortController().signal;

it("offers the values of the last run as names, those of pinned outputs in their place", () => {
  const id = workflowWithRun();
  const { samples } = readBuilder(test.actors.member, { id });
  expect(samples.trigger).toEqual([
    { name: "trigger", description: '{"n":3}' },
    { name: "trigger.n", description: "3" },
  ]);
  expect(samples.steps.say).toMatchObject({ isPinned: false });
  pinOutput(test.actors.member, "run_1", "say");
  expect(readSamples(test.actors.member, id).steps.say).toMatchObject({
    isPinned: true,
    output: { message: "7!" },
  });
  unpinOutput(test.actors.member, id, "say");
  expect(readSamples(test.actors.member, id).steps.say?.isPinned).toBe(false);
  const actions = listAudit(test.actors.owner, { limit: 2 }).entries.map(({ action }) => action);
  expect(actions).toEqual(["workflow.output_unpinned", "workflow.output_pinned"]);
});

it("refuses to pin what isn't there, to viewers, and across organizations", () => {
  const id = workflowWithRun();
  expect(() => pinStepOutput(test.actors.member, id, "first")).toThrow("no output of this step");
  expect(() => pinOutput(test.actors.viewer, "run_1", "say")).toThrow(/Only members/);
  expect(() => pinOutput({ ...test.actors.member, orgId: "org_other" }, "run_1", "say")).toThrow();
});

it("tries a step with what the last run and pins left, under what is typed", async () => {
  const id = workflowWithRun();
  const attempt = async (stepId: string, more?: object) =>
    (await tryDraftStep(test.actors.member, formOf(id, stepId, more), never)).tried;
  expect(await attempt("first")).toMatchObject({ ok: true, output: { n: 3 } });
  expect(await attempt("first", { sampleTrigger: '{"n": 8}' })).toMatchObject({ output: { n: 8 } });
});

it("runs up to a step: what is before it, but not pinned steps, and nothing after it", async () => {
  const steps = [
    { id: "wait", type: "delay", config: { seconds: 3600 } },
    { id: "say", type: "log", config: { level: "info", message: "never" } },
    {
      id: "check",
      type: "condition",
      config: { condition: 'steps.say.message == "7!"', falseAction: "stop" },
    },
    { id: "ask", type: "approval", config: { question: "Go on?" } },
    {
      id: "target",
      type: "log",
      config: { level: "info", message: "{{ steps.ask.approved }} {{ trigger.n }}" },
    },
    { id: "broken", type: "log", config: { level: "info", message: "" } },
  ];
  const id = workflowWithRun(steps.slice(0, 5));
  pinOutput(test.actors.member, "run_1", "say");
  const form = formOf(id, "target");
  const draft = { ...JSON.parse(form.draft), steps };
  const typed = { ...form, draft: JSON.stringify(draft) };
  const result = await tryDraftStep(test.actors.member, typed, never, true);
  expect(result.tried).toMatchObject({ ok: true, log: [{ message: "true 3" }] });
  expect(result.earlier).toEqual([
    { stepId: "wait", ok: true, isPinned: false },
    { stepId: "say", ok: true, isPinned: true },
    { stepId: "check", ok: true, isPinned: false },
    { stepId: "ask", ok: true, isPinned: false },
  ]);
});

it("says why a run doesn't reach the step", async () => {
  const stopped = [
    { id: "check", type: "condition", config: { condition: "trigger.n > 5", falseAction: "stop" } },
    { id: "target", type: "log", config: { level: "info", message: "here" } },
  ];
  const id = workflowWithRun(stopped);
  const attempt = async (more?: object) =>
    (await tryDraftStep(test.actors.member, formOf(id, "target", more), never, true)).tried;
  expect(await attempt()).toMatchObject({
    ok: false,
    error: expect.stringContaining("ends before it reaches"),
  });
  expect(await attempt({ sampleTrigger: '{"n": 6}' })).toMatchObject({ ok: true });
  expect(await attempt({ sampleTrigger: "{}" })).toMatchObject({
    ok: false,
    error: expect.stringContaining("check"),
  });
});

it("takes a few items of For Each, and stops inside it", async () => {
  const steps = [
    { id: "loop", type: "each", config: { items: "[1, 2, 3, 4, 5]", bodySteps: 1 } },
    { id: "inner", type: "log", config: { level: "info", message: "{{ item }}" } },
    { id: "after", type: "log", config: { level: "info", message: "{{ steps.loop.count }}" } },
  ];
  const id = workflowWithRun(steps);
  const attempt = async (stepId: string) => tryDraftStep(test.actors.member, formOf(id, stepId), never, true);
  expect((await attempt("inner")).tried).toMatchObject({ log: [{ message: "1" }] });
  expect((await attempt("after")).tried).toMatchObject({ log: [{ message: "3" }] });
  expect((await attempt("loop")).tried).toMatchObject({ ok: true, output: { count: 3 } });
});

it("takes a few rounds of While and its branches one after the other, and stops inside them", async () => {
  const steps = [
    { id: "loop", type: "while", config: { condition: "true", bodySteps: 3 } },
    { id: "fork", type: "parallel", config: { bodySteps: 2 } },
    { id: "inner", type: "log", config: { level: "info", message: "{{ index }}" } },
    { id: "other", type: "log", config: { level: "info", message: "other" } },
    { id: "after", type: "log", config: { level: "info", message: "{{ steps.loop.rounds }}" } },
  ];
  const id = workflowWithRun(steps);
  const attempt = async (stepId: string, isUpTo = true) =>
    tryDraftStep(test.actors.member, formOf(id, stepId), never, isUpTo);
  const { tried, earlier } = await attempt("other");
  expect(tried).toMatchObject({ ok: true, output: { message: "other" } });
  expect(earlier?.map(({ stepId }) => stepId)).toEqual(["inner"]);
  expect((await attempt("after")).tried).toMatchObject({ log: [{ message: "3" }] });
  expect((await attempt("loop", false)).tried).toMatchObject({ ok: true, output: { condition: true } });
});

it("names the parts of a value", () => {
  const value = { "a b": [{ x: "  long\n text" }, 2], deep: { b: { c: { d: 1 } } } };
  const names = sampleNames(value, "steps.a");
  expect(names.map(({ name }) => name)).toEqual([
    "steps.a",
    'steps.a["a b"]',
    'steps.a["a b"][0]',
    'steps.a["a b"][0].x',
    "steps.a.deep",
    "steps.a.deep.b",
    "steps.a.deep.b.c",
  ]);
  expect(names[3]?.description).toBe("long text");
  expect(names[6]?.description).toBe('{"d":1}');
  expect(sampleNames({ text: "x".repeat(500) }, "t")[1]?.description).toHaveLength(80);
});
