import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { derivedId } from "~/core/ids.server";
import { wellFormedValue } from "~/core/well-formed";
import { listAudit } from "~/platform/audit/audit.service.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { suspendMember } from "~/team/members/member.service.server";
import { NotificationQuery } from "~/team/notifications/notifications.schema";
import { countUnread, pageNotifications } from "~/team/notifications/notifications.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { findRun, putStep, updateRun } from "../runs.repo.server";
import type { RunDetails } from "../runs.schema";
import {
  answerStep,
  cancelRun,
  openStepOutput,
  readRun,
  repeatRun,
  retryRun,
  runWorkflow,
  startWorkflows,
} from "../runs.service.server";
import { workflowJobs } from "../workflows.jobs.server";
import type { WorkflowInput } from "../workflows.schema";
import {
  createQuickWorkflow,
  createWorkflow,
  deleteWorkflow,
  listWorkflowsOf,
  readWorkflow,
  takeOverWorkflow,
  updateWorkflow,
} from "../workflows.service.server";
import { engine } from "./local-engine.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void> = async () => undefined;
beforeEach(() => {
  test = openTestDatabase();
  stop = startWorkflows();
});
afterEach(async () => {
  await stop();
  setClock();
  test.close();
});

const notificationsOf = (event: string, who = test.actors.member) =>
  pageNotifications(who, NotificationQuery.parse({}))
    .notifications.filter((one) => one.event === event)
    .map(({ title, link }) => [title, link]);

type Steps = NonNullable<WorkflowInput["steps"]>;
const make = (steps: Steps, more: Partial<WorkflowInput> = {}) =>
  createWorkflow(test.actors.member, {
    name: "Test",
    description: "",
    triggers: [{ type: "manual" }],
    steps,
    connections: [],
    ...more,
  });

async function run(steps: Steps, payload: Record<string, unknown> = {}, more: Partial<WorkflowInput> = {}) {
  const { id } = make(steps, more);
  const { id: runId } = await runWorkflow(test.actors.member, id, payload);
  return ended(runId);
}

async function ended(runId: string): Promise<RunDetails> {
  await engine().ended(runId, AbortSignal.timeout(10_000));
  return readRun(test.actors.member, runId);
}
const waits = (runId: string) => expect.poll(() => readRun(test.actors.member, runId).state).toBe("waiting");

const log = (message: string, id?: string) => ({ type: "log", ...(id ? { id } : {}), config: { message } });
const value = (text: string) => ({ type: "return", config: { value: text } });

async function restart(prepare: () => void = () => undefined) {
  await stop();
  prepare();
  stop = startWorkflows();
}

describe("a run of a text that is cut within a character", () => {
  const smile = "\u{1f600}";
  it.each([
    ["by a function", "{{ trigger.s.substring(0, 2) }}", smile],
    ["by another function", "{{ trigger.s.split('') }}", smile],
    ["for the log", "{{ trigger.s }}", smile.repeat(2000)],
    ["for its head", "{{ trigger.s }}", smile.repeat(150_000)],
  ])("has only whole characters: %s", async (_, message, s) => {
    // One of two texts is cut within a character.
    for (const text of [s, `x${s}`]) {
      const details = await run([log(message), value(message)], { s: text });
      expect(details.state).toBe("succeeded");
      expect(wellFormedValue(details)).toEqual(details);
    }
  });
});

describe("a run that a token limited to one model starts", () => {
  const limited = () => ({
    ...test.actors.member,
    kind: "token" as const,
    tokenId: "tok_1",
    scopes: ["workflows.write", "screens.read"],
    gateway: { models: ["other"], requestsPerMinute: null },
  });
  const ask = { type: "ai_completion", id: "ask", config: { model: "quarterdeck-offline", prompt: "Hello" } };
  const refused = { state: "failed", error: expect.stringContaining("isn't allowed to call the model") };

  it("calls no other, also after a restart and in the workflows it calls", async () => {
    const inner = make([ask]);
    const outer = make([
      { type: "delay", id: "rest", config: { seconds: 3600 } },
      { type: "call_workflow", id: "call", config: { workflow: inner.id, payload: {} } },
    ]);
    const { id } = await runWorkflow(limited(), outer.id, {});
    await waits(id);
    await restart(() => setClock(() => Date.now() + 3_700_000));
    engine().resume(id);
    expect(await ended(id)).toMatchObject(refused);
  });

  it("calls others when a member without the limit retries it", async () => {
    const { id: workflowId } = make([ask]);
    const { id } = await runWorkflow(limited(), workflowId, {});
    expect(await ended(id)).toMatchObject(refused);
    retryRun(test.actors.member, id);
    expect(await ended(id)).toMatchObject({ state: "succeeded" });
  });
});

describe("a run", () => {
  it("goes through its steps in order, with the trigger's data and earlier outputs", async () => {
    const done = await run(
      [
        { id: "a", type: "log", config: { message: "Hello {{ trigger.name }}" } },
        { id: "b", type: "condition", config: { condition: "trigger.n > 1", falseAction: "stop" } },
        value("{{ {'n': trigger.n * 2, 'first': steps.a} }}"),
      ],
      { name: "Ada", n: 4 },
    );
    expect(done).toMatchObject({ state: "succeeded", output: { n: 8 }, startedBy: { id: "usr_member" } });
    expect(done.steps.map(({ key, state }) => [key, state])).toEqual([
      ["a", "succeeded"],
      ["b", "succeeded"],
      ["return_1", "succeeded"],
    ]);
    expect(done.steps[0]?.log).toMatchObject([{ level: "info", message: "Hello Ada" }]);
    expect(listAudit(test.actors.owner, { limit: 1 }).entries[0]).toMatchObject({
      action: "workflow.executed",
      details: { workflowName: "Test", steps: 3 },
    });
  });

  it("uses the built-in model if there is no provider, and records its tokens", async () => {
    const { id } = createQuickWorkflow(test.actors.member, { name: "Quick", description: "" });
    updateWorkflow(test.actors.member, id, { enabled: true });
    const done = await ended((await runWorkflow(test.actors.member, id, {})).id);
    expect(done).toMatchObject({ state: "succeeded" });
    expect(done.steps[0]?.output).toMatchObject({ text: expect.any(String) });
    const usage = rawDatabase()
      .prepare("SELECT source, workflow_id, run_id, step_id FROM usage_records")
      .all();
    expect(usage).toEqual([
      { source: "workflow", workflow_id: id, run_id: done.id, step_id: "ai_completion_1" },
    ]);
  });

  it("follows the connections of the branch that a condition takes", async () => {
    const steps: Steps = [
      { id: "check", type: "condition", config: { condition: "trigger.n == 1" } },
      log("yes", "yes"),
      log("no", "no"),
      log("after", "after"),
    ];
    const connections = [
      { from: "check", to: "yes", branch: "true" },
      { from: "check", to: "no", branch: "false" },
      { from: "yes", to: "after" },
    ];
    const keys = async (n: number) => (await run(steps, { n }, { connections })).steps.map(({ key }) => key);
    expect(await keys(1)).toEqual(["check", "yes", "after"]);
    expect(await keys(2)).toEqual(["check", "no"]);
  });

  it("repeats the body of For each with item and index, in a list and in a graph", async () => {
    const steps: Steps = [
      { id: "loop", type: "each", config: { items: "trigger.names", bodySteps: 1 } },
      { id: "say", type: "log", config: { message: "{{ index }}: {{ item }}" } },
      { id: "end", type: "return", config: { value: "{{ steps.loop.count }}" } },
    ];
    const payload = { names: ["Ada", "Ben"] };
    const inList = await run(steps, payload);
    expect(inList).toMatchObject({ state: "succeeded", output: 2 });
    const connections = [
      { from: "loop", to: "say", branch: "each" },
      { from: "loop", to: "end", branch: "done" },
    ];
    const inGraph = await run(steps, payload, { connections });
    expect(inGraph).toMatchObject({ state: "succeeded", output: 2 });
    for (const { steps: found } of [inList, inGraph])
      expect(
        found.filter(({ stepId }) => stepId === "say").map(({ key, log: [entry] }) => [key, entry?.message]),
      ).toEqual([
        ["loop[0].say", "0: Ada"],
        ["loop[1].say", "1: Ben"],
      ]);
  });

  it("fails with the wrong step and field, or continues or branches if the step says so", async () => {
    const broken = { id: "bad", type: "log", config: { message: "{{ trigger.missing }}" } };
    const failed = await run([broken, log("never")]);
    expect(failed).toMatchObject({ state: "failed", stepId: "bad" });
    expect(failed.error).toMatch(/^Log Output \(bad\): Message: .*missing/);
    const went = await run([{ ...broken, options: { onError: "continue" } }, log("still")]);
    expect(went.steps.map(({ state }) => state)).toEqual(["failed", "succeeded"]);
    expect(went.state).toBe("succeeded");
    const branched = await run(
      [{ ...broken, options: { onError: "branch" } }, log("mend", "mend"), log("usual", "usual")],
      {},
      {
        connections: [
          { from: "bad", to: "mend", branch: "error" },
          { from: "bad", to: "usual" },
        ],
      },
    );
    expect(branched.steps.map(({ key }) => key)).toEqual(["bad", "mend"]);
  });

  it("is accepted once per idempotency key", async () => {
    const { id } = make([log("x")]);
    const first = await runWorkflow(test.actors.member, id, {}, "k");
    const second = await runWorkflow(test.actors.member, id, {}, "k");
    expect(second.id).toBe(first.id);
    expect((await runWorkflow(test.actors.admin, id, {}, "k")).id).not.toBe(first.id);
    await ended(first.id);
  });
});

describe("a run that waits", () => {
  it("sleeps without holding a slot, and continues when it is due", async () => {
    let at = Date.now();
    setClock(() => at);
    const stopJobs = startJobs(workflowJobs);
    const { id } = make([{ type: "delay", config: { seconds: 3600 } }, value("rested")]);
    const { id: runId } = await runWorkflow(test.actors.member, id, {});
    await waits(runId);
    await restart();
    expect(readRun(test.actors.member, runId).state).toBe("waiting");
    at += 3_600_000;
    engine().resume(runId);
    expect(await ended(runId)).toMatchObject({ state: "succeeded", output: "rested" });
    await stopJobs();
  });

  it("for a person continues with the branch they choose", async () => {
    const steps: Steps = [
      { id: "ask", type: "approval", config: { question: "Send it to {{ trigger.to }}?" } },
      log("sent", "yes"),
      log("dropped", "no"),
    ];
    const connections = [
      { from: "ask", to: "yes", branch: "approved" },
      { from: "ask", to: "no", branch: "refused" },
    ];
    const { id } = make(steps, { connections });
    for (const approved of [true, false]) {
      const { id: runId } = await runWorkflow(test.actors.member, id, { to: "all" });
      await waits(runId);
      expect(readRun(test.actors.member, runId).steps[0]?.input).toMatchObject({
        question: "Send it to all?",
      });
      expect(notificationsOf("approval.waiting")[0]).toEqual([
        "Test waits for an answer",
        `/workflows/runs/${runId}`,
      ]);
      expect(notificationsOf("approval.waiting", test.actors.owner)).toEqual([]);
      expect(() => answerStep(test.actors.viewer, runId, "ask", approved)).toThrow(/Only members/);
      expect(countUnread(test.actors.member)).toBe(1);
      answerStep(test.actors.admin, runId, "ask", approved, "fine");
      // The question no longer needs an answer.
      expect(countUnread(test.actors.member)).toBe(0);
      expect(listAudit(test.actors.owner, { limit: 1 }).entries[0]?.action).toBe(
        approved ? "workflow.step_approved" : "workflow.step_refused",
      );
      expect(() => answerStep(test.actors.admin, runId, "ask", approved)).toThrow(/no longer waiting/);
      const done = await ended(runId);
      expect(done.steps.map(({ key }) => key)).toEqual(["ask", approved ? "yes" : "no"]);
      expect(done.steps[0]?.output).toEqual({ approved, by: "admin", comment: "fine" });
    }
  });

  it("for another workflow gets its output, or fails as it does", async () => {
    const child = make([value("{{ trigger.n + 1 }}")]);
    const call = (payload: string) => [
      { id: "call", type: "call_workflow", config: { workflow: child.id, payload } },
      value("{{ steps.call }}"),
    ];
    expect(await run(call("{'n': 1}"))).toMatchObject({ state: "succeeded", output: 2 });
    const failed = await run(call("{'m': 1}"));
    expect(failed).toMatchObject({ state: "failed", error: expect.stringMatching(/failed: Return Value/) });
  });

  it("for another workflow calls it again when it is retried after that one failed", async () => {
    const child = make([value("{{ trigger.none.deeper }}")]);
    const steps = [
      { id: "call", type: "call_workflow", config: { workflow: child.id, payload: "{}" } },
      value("{{ steps.call }}"),
    ];
    const failed = await run(steps);
    expect(failed.state).toBe("failed");
    updateWorkflow(test.actors.member, child.id, { steps: [value("mended")] });
    retryRun(test.actors.member, failed.id);
    expect(await ended(failed.id)).toMatchObject({ state: "succeeded", output: "mended" });
  });

  it("fails a loop whose rounds return too much together", async () => {
    const steps = [
      { id: "loop", type: "each", config: { items: "trigger.items", bodySteps: 1 } },
      { id: "big", type: "code", config: { code: "return 'x'.repeat(250000)" } },
    ];
    const items = Array.from({ length: 90 }, (_, item) => item);
    const failed = await run(steps, { items });
    expect(failed).toMatchObject({ state: "failed", error: expect.stringContaining("at most 20 MB") });
    expect(failed.steps.find(({ key }) => key === "loop")).toMatchObject({ state: "failed" });
  });

  it("is rejected if calls are nested too deep", async () => {
    const first = make([log("x")]);
    const second = make([{ type: "call_workflow", config: { workflow: first.id, payload: "{}" } }]);
    updateWorkflow(test.actors.member, first.id, {
      steps: [{ type: "call_workflow", config: { workflow: second.id, payload: "{}" } }],
    });
    const done = await ended((await runWorkflow(test.actors.member, first.id, {})).id);
    expect(done).toMatchObject({ state: "failed", error: expect.stringContaining("5 levels deep") });
  });
});

describe("a restart", () => {
  it("continues accepted runs without repeating finished steps", async () => {
    const { id } = make([log("one", "one"), log("two", "two")]);
    const { id: runId } = await runWorkflow(test.actors.member, id, {});
    await ended(runId);
    await restart(() =>
      transaction((tx) => {
        const done = readRun(test.actors.member, runId).steps[0];
        rawDatabase().prepare("DELETE FROM workflow_run_steps WHERE key = 'two'").run();
        updateRun(tx, runId, ["succeeded"], { state: "running", finishedAt: null });
        expect(done?.state).toBe("succeeded");
      }),
    );
    const again = await ended(runId);
    expect(again.steps.map(({ key, attempts }) => [key, attempts])).toEqual([
      ["one", 1],
      ["two", 1],
    ]);
    // A completed step resets the count.
    expect(findRun(db(), runId)?.crashes).toBe(0);
  });

  it("asks a person about an interrupted step if the step says so", async () => {
    const step = {
      id: "mail",
      type: "send_email",
      config: { to: "a@example.org", subject: "Hi", body: "x" },
      options: { askAfterCrash: true },
    };
    const { id } = make([step]);
    const { id: runId } = await runWorkflow(test.actors.member, id, {});
    expect(await ended(runId)).toMatchObject({ state: "failed", error: expect.stringContaining("SMTP_URL") });
    await restart(() =>
      transaction((tx) => {
        const row = rawDatabase().prepare("SELECT * FROM workflow_run_steps").get() as { position: number };
        expect(row.position).toBe(1);
        updateRun(tx, runId, ["failed"], { state: "running", finishedAt: null, error: null });
        putStep(tx, {
          runId,
          key: "mail",
          stepId: "mail",
          type: "send_email",
          position: 1,
          state: "running",
          attempts: 1,
          input: {},
          output: null,
          branch: null,
          error: null,
          log: null,
          inputTokens: null,
          outputTokens: null,
          costMicros: null,
          startedAt: Date.now(),
          finishedAt: null,
        });
      }),
    );
    await waits(runId);
    answerStep(test.actors.member, runId, "mail", false);
    expect(readRun(test.actors.member, runId)).toMatchObject({ state: "failed" });
  });

  it("fails a run that ran alone at the last of ten crashes, and no other", async () => {
    const { id } = make([log("x")]);
    const runs = [
      await runWorkflow(test.actors.member, id, {}),
      await runWorkflow(test.actors.member, id, {}),
    ];
    for (const run of runs) await ended(run.id);
    const crash = (ids: string[]) =>
      restart(() =>
        transaction((tx) => {
          rawDatabase().prepare("DELETE FROM workflow_run_steps").run();
          for (const runId of ids)
            updateRun(tx, runId, ["succeeded"], { state: "running", finishedAt: null, crashes: 9 });
        }),
      );
    const [first = "", second = ""] = runs.map((run) => run.id);
    await crash([first, second]);
    expect(await ended(first)).toMatchObject({ state: "succeeded" });
    expect(await ended(second)).toMatchObject({ state: "succeeded" });
    await crash([first]);
    expect(readRun(test.actors.member, first)).toMatchObject({
      state: "failed",
      error: expect.stringContaining("stopped during each attempt"),
    });
  });
});

describe("a run that blocks the process until it is killed", () => {
  it("is recorded as running before its first step", async () => {
    const seen: unknown[] = [];
    const { id } = make([log("x")]);
    const state = rawDatabase().prepare("SELECT state FROM workflow_runs").pluck();
    setClock(() => {
      // The journal asks for the time when it begins a step.
      if (new Error().stack?.includes("Journal")) seen.push(state.get());
      return Date.now();
    });
    await ended((await runWorkflow(test.actors.member, id, {})).id);
    expect(seen[0]).toBe("running");
  });

  it("is tried first after a restart, so that it runs alone", async () => {
    const { id } = make([log("x")]);
    const older = await runWorkflow(test.actors.member, id, {});
    await ended(older.id);
    const other = make([log("x")]);
    const blocking = await runWorkflow(test.actors.member, other.id, {});
    await ended(blocking.id);
    let at = Date.now();
    setClock(() => at++);
    await restart(() =>
      transaction((tx) => {
        rawDatabase().prepare("DELETE FROM workflow_run_steps").run();
        const again = { finishedAt: null, startedAt: null };
        updateRun(tx, older.id, ["succeeded"], { ...again, state: "queued" });
        updateRun(tx, blocking.id, ["succeeded"], { ...again, state: "running", crashes: 7 });
      }),
    );
    const startOf = async (runId: string) => Date.parse((await ended(runId)).startedAt ?? "");
    expect(await startOf(blocking.id)).toBeLessThan(await startOf(older.id));
  });
});

describe("a workflow that fails again and again", () => {
  it("notifies once in an hour, with a count", async () => {
    let at = Date.UTC(2026, 10, 23, 9);
    setClock(() => at);
    const { id } = make([{ id: "key", type: "run_tool", config: { tool: "kv.get", input: "{'key': ''}" } }]);
    const fail = async () => ended((await runWorkflow(test.actors.member, id, {})).id);
    const link = ({ id: runId }: { id: string }) => `/workflows/runs/${runId}`;
    const first = await fail();
    expect(notificationsOf("run.failed")).toEqual([["Test failed", link(first)]]);
    at += 60_000;
    const second = await fail();
    expect(notificationsOf("run.failed")).toEqual([["Test failed 2 times in an hour", link(second)]]);
    at += 3_600_000;
    const third = await fail();
    expect(notificationsOf("run.failed")).toEqual([
      ["Test failed 2 times in an hour", link(third)],
      ["Test failed 2 times in an hour", link(second)],
    ]);
  });
});

describe("a person", () => {
  it("cancels a run, retries a failed one from its step, and runs one again", async () => {
    const { id } = make([{ type: "delay", id: "rest", config: { seconds: 3600 } }]);
    const waiting = await runWorkflow(test.actors.member, id, {});
    await waits(waiting.id);
    expect(() => answerStep(test.actors.member, waiting.id, "rest", false)).toThrow(/no longer waiting/);
    expect(cancelRun(test.actors.member, waiting.id).state).toBe("cancelled");
    expect(() => cancelRun(test.actors.member, waiting.id)).toThrow("already ended");
    expect(listAudit(test.actors.owner, { limit: 9 }).entries).toMatchObject([
      {
        action: "workflow.run_cancelled",
        resource: `run:${waiting.id}`,
        details: { workflowName: "Test" },
      },
      { action: "workflow.executed" },
      { action: "workflow.created" },
    ]);
    const stopped = readRun(test.actors.member, waiting.id);
    expect(stopped.steps).toEqual([
      expect.objectContaining({ state: "cancelled", finishedAt: stopped.finishedAt }),
    ]);

    expect(countUnread(test.actors.member)).toBe(0);

    const broken = make([
      log("before", "before"),
      { id: "key", type: "run_tool", config: { tool: "kv.get", input: "{'key': ''}" } },
    ]);
    const failed = await ended((await runWorkflow(test.actors.member, broken.id, { a: 1 })).id);
    expect(failed.state).toBe("failed");
    expect(notificationsOf("run.failed")).toEqual([["Test failed", `/workflows/runs/${failed.id}`]]);
    const hour = 3_600_000;
    setClock(() => Date.now() + hour);
    const retried = retryRun(test.actors.member, failed.id);
    expect(retried).toMatchObject({ state: "queued", durationMs: null });
    expect(listAudit(test.actors.owner, { limit: 1 }).entries[0]?.action).toBe("workflow.run_retried");
    const again = await ended(failed.id);
    expect(again.steps.find(({ key }) => key === "before")?.attempts).toBe(1);
    expect(Date.parse(again.finishedAt ?? "") - Date.parse(again.startedAt ?? "")).toBeGreaterThan(hour - 1);
    expect(again.durationMs).toBeLessThan(hour);
    expect((await repeatRun(test.actors.member, failed.id)).id).not.toBe(failed.id);
  });

  it("sees a run's data only with the right to edit workflows", async () => {
    const details = await run([log("{{ trigger.secret }}"), { type: "return", config: { value: "kept" } }], {
      secret: "typed",
    });
    const { id } = details;
    expect(readRun(test.actors.member, id)).toMatchObject({ hidesData: false, payload: { secret: "typed" } });
    const seen = readRun(test.actors.viewer, id);
    expect(seen).toMatchObject({ hidesData: true, state: "succeeded", payload: null, output: null });
    expect(JSON.stringify(seen)).not.toMatch(/typed|kept/);
    await expect(openStepOutput(test.actors.viewer, id, "log")).rejects.toThrow(/Only members/);
  });

  it("is rejected without the permission or for a disabled workflow", async () => {
    const { id } = make([log("x")]);
    await expect(runWorkflow(test.actors.viewer, id, {})).rejects.toThrow(/Only members/);
    updateWorkflow(test.actors.member, id, { enabled: false });
    await expect(runWorkflow(test.actors.member, id, {})).rejects.toThrow("disabled");
    deleteWorkflow(test.actors.member, id);
    await expect(runWorkflow(test.actors.member, id, {})).rejects.toThrow("Workflow not found");
  });
});

describe("a schedule", () => {
  const states = () =>
    rawDatabase().prepare("SELECT state, error FROM workflow_runs ORDER BY created_at, id").all() as {
      state: string;
      error: string | null;
    }[];

  it("runs once at each due time, records overlaps as skipped, and pauses with its member", async () => {
    let at = Date.UTC(2026, 0, 1, 8, 59);
    setClock(() => at);
    const { id } = make([{ type: "delay", config: { seconds: 90_000 } }], {
      triggers: [{ id: "daily", type: "schedule", config: { cron: "0 9 * * *", timeZone: "UTC" } }],
    });
    const due = async () => {
      const stopJobs = startJobs(workflowJobs);
      const jobs = () =>
        rawDatabase()
          .prepare(
            "SELECT count(*) FROM jobs WHERE kind = 'workflows.due' AND state IN ('queued', 'running')",
          )
          .pluck()
          .get();
      await expect.poll(() => states().length + Number(jobs()) * 1000).toBeLessThan(1000);
      return stopJobs;
    };
    await (await due())();
    expect(states()).toEqual([]);
    at += 120_000;
    const stopFirst = await due();
    await expect.poll(() => states().map(({ state }) => state)).toEqual(["waiting"]);
    const first = rawDatabase().prepare("SELECT id, payload FROM workflow_runs").get();
    // Equal on both consoles if a replica is restored.
    expect(first).toEqual({
      id: derivedId("run", id, "daily", Date.UTC(2026, 0, 1, 9)),
      payload: JSON.stringify({ scheduledAt: "2026-01-01T09:00:00.000Z" }),
    });
    await stopFirst();
    at += 24 * 3_600_000;
    const stopSecond = await due();
    await expect.poll(() => states().map(({ state }) => state)).toEqual(["waiting", "skipped"]);
    expect(states()[1]?.error).toContain("still in progress");
    await stopSecond();
    expect(listWorkflowsOf(test.actors.owner, "usr_member")).toEqual([{ id, name: "Test" }]);
    expect(() => listWorkflowsOf(test.actors.viewer, "usr_member")).toThrow();
    suspendMember(test.actors.owner, "usr_member");
    expect(readWorkflow(test.actors.viewer, id).pausedReason).toMatch(/is suspended/);
    at += 24 * 3_600_000;
    const stopThird = await due();
    await expect.poll(() => states().at(-1)?.error ?? "").toMatch(/has left, is suspended/);
    await stopThird();
    expect(takeOverWorkflow(test.actors.admin, id)).toMatchObject({
      pausedReason: null,
      runsAs: { id: "usr_admin" },
    });
    const { entries } = listAudit(test.actors.owner, { limit: 20 });
    expect(entries.filter(({ action }) => action === "workflow.taken_over")).toMatchObject([
      {
        resource: `workflow:${id}`,
        userId: "usr_admin",
        details: { workflowName: "Test", from: "usr_member" },
      },
    ]);
  });
});
