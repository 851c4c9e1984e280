import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { rawDatabase } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { answerStep, readRun, runWorkflow, startWorkflows } from "../runs.service.server";
import { workflowJobs } from "../workflows.jobs.server";
import type { WorkflowInput } from "../workflows.schema";
import { createWorkflow, deleteWorkflow } from "../workflows.service.server";
import { engine } from "./local-engine.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void> = async () => undefined;
let server: Server | undefined;
beforeEach(() => {
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
  stop = startWorkflows();
});
afterEach(async () => {
  await stop();
  setClock();
  server?.close();
  server = undefined;
  test.close();
});

type Steps = NonNullable<WorkflowInput["steps"]>;
const make = (steps: Steps, connections: WorkflowInput["connections"] = []) =>
  createWorkflow(test.actors.member, {
    name: "Test",
    description: "",
    triggers: [{ type: "manual" }],
    steps,
    connections,
  });
const start = async (workflowId: string) => (await runWorkflow(test.actors.member, workflowId, {})).id;
const stateOf = (runId: string) => readRun(test.actors.member, runId).state;
const waits = (runId: string) => expect.poll(() => stateOf(runId)).toBe("waiting");
async function ended(runId: string) {
  await engine().ended(runId, AbortSignal.timeout(5_000));
  return readRun(test.actors.member, runId);
}

const ask = (id = "ask") => ({ id, type: "approval", config: { question: "Go on?" } });
const value = (text: string) => ({ type: "return", config: { value: text } });

async function restart(between: () => void | Promise<void> = () => undefined) {
  await stop();
  await between();
  stop = startWorkflows();
}

/** A mock server whose requests are counted by path. */
async function countRequests(
  status: number,
  onRequest: () => void = () => undefined,
): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  server = createServer((request, response) => {
    requests.push(request.url ?? "");
    onRequest();
    response.writeHead(status).end("{}");
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", () => resolve()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

describe("a run that was told to go on", () => {
  it("goes on at the next start if the process ends right after the answer", async () => {
    const { id } = make([ask(), value("{{ steps.ask.approved }}")]);
    for (const approved of [true, false]) {
      const runId = await start(id);
      await waits(runId);
      answerStep(test.actors.member, runId, "ask", approved);
      expect(stateOf(runId)).toBe("queued");
      await restart();
      expect((await ended(runId)).steps[0]?.output).toMatchObject({ approved });
    }
  });

  it("goes on at the next start if the process ends right after the delay", async () => {
    let at = Date.now();
    setClock(() => at);
    const { id } = make([{ type: "delay", config: { seconds: 3600 } }, value("rested")]);
    const runId = await start(id);
    await waits(runId);
    at += HOUR;
    engine().resume(runId);
    expect(stateOf(runId)).toBe("queued");
    await restart();
    expect(await ended(runId)).toMatchObject({ state: "succeeded", output: "rested" });
  });

  it("is woken by each of its delays, and by a delay whose job was lost", async () => {
    let at = Date.now();
    setClock(() => at);
    const delay = { type: "delay", config: { seconds: 3600 } };
    const { id } = make([delay, delay, delay, value("rested")]);
    const runId = await start(id);
    await waits(runId);
    const stopJobs = startJobs(workflowJobs);
    const step = async (n: number) => {
      const steps = () => readRun(test.actors.member, runId).steps.map(({ state }) => state);
      at += HOUR;
      // Wakes the dispatcher, whose timers follow the real clock.
      await restart();
      await expect.poll(steps).toHaveLength(n);
      await waits(runId);
    };
    await step(2);
    rawDatabase().prepare("DELETE FROM jobs WHERE kind = 'workflows.resume'").run();
    await step(3);
    await stopJobs();
    at += HOUR;
    await restart();
    expect(await ended(runId)).toMatchObject({ state: "succeeded", output: "rested" });
  });

  it("gets a lost wake-up back at the next start, before it is due", async () => {
    const { id } = make([{ type: "delay", config: { seconds: 3600 } }, value("rested")]);
    await waits(await start(id));
    const raw = rawDatabase();
    const wakeUps = () =>
      raw.prepare("SELECT run_at FROM jobs WHERE kind = 'workflows.resume'").pluck().all();
    const before = wakeUps();
    expect(before).toHaveLength(1);
    await restart(() => void raw.prepare("DELETE FROM jobs").run());
    expect(wakeUps()).toEqual(before);
  });

  it("is freed at the start where an earlier version left it waiting for nothing", async () => {
    let at = Date.now();
    setClock(() => at);
    const asking = make([ask(), value("{{ steps.ask.approved }}")]);
    const resting = make([{ type: "delay", config: { seconds: 3600 } }, value("rested")]);
    const open = make([ask()]);
    const ids = [await start(asking.id), await start(resting.id), await start(open.id)] as const;
    for (const id of ids) await waits(id);
    await restart(() => {
      at += HOUR;
      rawDatabase()
        .prepare(
          `UPDATE workflow_run_steps SET state = 'succeeded', branch = 'approved', finished_at = 1,
           output = '{"approved":true,"by":"admin","comment":null}' WHERE run_id = ?`,
        )
        .run(ids[0]);
    });
    expect(await ended(ids[0])).toMatchObject({ state: "succeeded", output: true });
    expect(await ended(ids[1])).toMatchObject({ state: "succeeded", output: "rested" });
    expect(stateOf(ids[2])).toBe("waiting");
  });

  it("is a parent whose child failed, was declined or was deleted", async () => {
    const call = (workflow: string) => [
      { id: "call", type: "call_workflow", config: { workflow, payload: "{}" } },
      value("x"),
    ];
    const child = make([ask()]);
    const parent = make(call(child.id));
    const runId = await start(parent.id);
    await waits(runId);
    deleteWorkflow(test.actors.member, child.id);
    expect(await ended(runId)).toMatchObject({ state: "failed", error: expect.stringContaining("deleted") });
  });

  it("keeps its answer, and the answers of others, over a stop with more runs than slots", async () => {
    const { id } = make([ask(), value("{{ steps.ask.approved }}")]);
    const ids = await Promise.all(Array.from({ length: 30 }, () => start(id)));
    for (const runId of ids) await waits(runId);
    for (const runId of ids) answerStep(test.actors.member, runId, "ask", true);
    await restart();
    for (const runId of ids) expect(await ended(runId)).toMatchObject({ state: "succeeded", output: true });
  });

  it("goes on after a stop while other runs had all slots of its workflow", async () => {
    let isHeld = true;
    let requests = 0;
    server = createServer((_, response) => {
      requests += 1;
      if (!isHeld) response.end("{}");
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", () => resolve()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { id } = make([ask(), { type: "http_request", config: { method: "POST", url, body: "{}" } }]);
    const ids = await Promise.all(Array.from({ length: 15 }, () => start(id)));
    for (const runId of ids) await waits(runId);
    const [busy, beyond] = [ids.slice(0, 10), ids.slice(10)];
    for (const runId of busy) answerStep(test.actors.member, runId, "ask", true);
    await expect.poll(() => requests).toBe(10);
    for (const runId of beyond) answerStep(test.actors.member, runId, "ask", true);
    await restart(() => {
      expect(requests).toBe(10);
      expect(beyond.map(stateOf)).toEqual(beyond.map(() => "queued"));
      isHeld = false;
    });
    for (const runId of ids) expect(await ended(runId)).toMatchObject({ state: "succeeded" });
    expect(requests).toBe(25);
  });
});

describe("a step that asks after a crash", () => {
  const post = (url: string, options = {}) => ({
    id: "post",
    type: "http_request",
    config: { method: "POST", url, body: "{}" },
    options: { askAfterCrash: true, ...options },
  });
  const cutOff = (output: string | null) =>
    restart(() => {
      rawDatabase().prepare("UPDATE workflow_runs SET state = 'running', finished_at = NULL").run();
      rawDatabase()
        .prepare("UPDATE workflow_run_steps SET state = 'running', finished_at = NULL, output = ?")
        .run(output);
    });

  it("asks if its call may have left, and else runs again", async () => {
    const { url, requests } = await countRequests(200);
    const { id } = make([post(url)]);
    const runId = await start(id);
    await ended(runId);
    await cutOff('{"sent":false}');
    expect(await ended(runId)).toMatchObject({ state: "succeeded" });
    expect(requests).toHaveLength(2);
    await cutOff(null);
    await waits(runId);
    expect(requests).toHaveLength(2);
  });

  it("records that its call leaves before it does, and that an attempt with a retry ended", async () => {
    const seen: unknown[] = [];
    const stored = () => rawDatabase().prepare("SELECT output FROM workflow_run_steps").pluck().get();
    const { url } = await countRequests(500, () => seen.push(stored()));
    const { id } = make([post(url, { retries: 1, retryDelaySeconds: 3600 })]);
    const runId = await start(id);
    await expect.poll(() => stored() === '{"sent":false}' && seen.length === 1).toBe(true);
    expect(seen).toEqual([null]);
    await restart();
    await expect.poll(() => seen.length).toBe(2);
    expect(await ended(runId)).toMatchObject({ state: "failed", steps: [{ attempts: 2, output: null }] });
  });
});

describe("a database that refuses writes", () => {
  it.each(["succeeded", "waiting", "running"])(
    "doesn't leave a run behind that becomes %s",
    async (state) => {
      rawDatabase().exec(
        `CREATE TRIGGER full BEFORE UPDATE ON workflow_runs WHEN NEW.state = '${state}' BEGIN SELECT RAISE(ABORT, 'full'); END`,
      );
      const { id } = make([ask(), value("{{ steps.ask.approved }}")]);
      const runId = await start(id);
      const answer = () => answerStep(test.actors.member, runId, "ask", true);
      if (state === "succeeded") {
        await waits(runId);
        answer();
      }
      await expect.poll(() => ["running", "queued"].includes(stateOf(runId))).toBe(true);
      rawDatabase().exec("DROP TRIGGER full");
      if (state !== "succeeded") {
        await waits(runId);
        answer();
      }
      expect(await ended(runId)).toMatchObject({ state: "succeeded", output: true });
    },
  );
});

describe("a replay", () => {
  it("doesn't repeat a failed step after which the run went on", async () => {
    const { url, requests } = await countRequests(500);
    const post = {
      id: "post",
      type: "http_request",
      config: { method: "POST", url, body: "{}" },
      options: { onError: "continue" as const },
    };
    const { id } = make([post, ask(), value("{{ steps.post }}")]);
    const runId = await start(id);
    await waits(runId);
    answerStep(test.actors.member, runId, "ask", true);
    expect(await ended(runId)).toMatchObject({ state: "succeeded" });
    expect(requests).toHaveLength(1);
  });

  it("goes over the same items of a long list", async () => {
    const list = { id: "loop", type: "each", config: { items: "trigger.items", bodySteps: 1 } };
    const { id } = make([list, ask(), value("{{ steps.loop.count }}")]);
    const items = Array.from({ length: 2 }, () => "x".repeat(200_000));
    const { id: runId } = await runWorkflow(test.actors.member, id, { items });
    for (const index of [0, 1]) {
      await waits(runId);
      await restart();
      answerStep(test.actors.member, runId, `loop[${index}].ask`, true);
      await expect.poll(() => readRun(test.actors.member, runId).steps.length).toBeGreaterThan(index + 2);
    }
    expect(await ended(runId)).toMatchObject({ state: "succeeded", output: 2 });
  });

  it("has the same results of a long loop after a restart as before it", async () => {
    const list = { id: "loop", type: "each", config: { items: "trigger.items", bodySteps: 1 } };
    const say = { id: "say", type: "log", config: { message: "{{ item }}" } };
    const { id } = make([list, say, ask(), value("{{ size(steps.loop.items) }}")]);
    const items = Array.from({ length: 90 }, () => "x".repeat(4000));
    const { id: runId } = await runWorkflow(test.actors.member, id, { items });
    await waits(runId);
    await restart();
    answerStep(test.actors.member, runId, "ask", true);
    expect(await ended(runId)).toMatchObject({ state: "succeeded", output: 90 });
  });
});
