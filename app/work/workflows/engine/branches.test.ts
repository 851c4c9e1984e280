import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setClock } from "~/core/clock.server";
import { countUnread } from "~/team/notifications/notifications.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import type { RunDetails } from "../runs.schema";
import {
  answerStep,
  cancelRun,
  listWaitingApprovals,
  readRun,
  retryRun,
  runWorkflow,
  startWorkflows,
} from "../runs.service.server";
import { WorkflowInput } from "../workflows.schema";
import { createWorkflow } from "../workflows.service.server";
import { Journal } from "./journal.server";
import { engine } from "./local-engine.server";

/** Requests by path that weren't answered yet, and how to answer them. */
const open = new Map<string, ServerResponse>();
/** Paths of those whose caller closed the connection. */
const cut = new Set<string>();
const keys: string[] = [];
let outside: MockServer;
beforeAll(async () => {
  outside = await startMockServer((request, response) => {
    keys.push(String(request.headers["idempotency-key"]).split(":").at(-1) ?? "");
    const path = request.url ?? "";
    if (path.startsWith("/fast")) response.end("{}");
    else if (path === "/fails") response.writeHead(500).end();
    else {
      open.set(path, response);
      response.once("close", () => !response.writableEnded && cut.add(path));
    }
  });
});
afterAll(() => outside.close());

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void> = async () => undefined;
beforeEach(() => {
  keys.length = 0;
  open.clear();
  cut.clear();
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
  stop = startWorkflows();
});
afterEach(async () => {
  await stop();
  setClock();
  test.close();
});

const PATIENCE = { timeout: 25_000 };
const answer = (path: string) => open.get(path)?.end("{}");
const arrived = (...paths: string[]) =>
  expect.poll(() => paths.filter((path) => !open.has(path)), PATIENCE).toEqual([]);

const isCut = (path: string) => expect.poll(() => cut.has(path), PATIENCE).toBe(true);

const call = (id: string, path = `/${id}`, options = {}) => ({
  id,
  type: "http_request",
  config: { method: "POST", url: `${outside.origin}${path}`, body: "{}" },
  options,
});
const fork = { id: "fork", type: "parallel" };
const ask = { id: "ask", type: "approval", config: { question: "Go on?" } };
const pause = { id: "pause", type: "delay", config: { seconds: 3600 } };
const value = (text: string) => ({ id: "end", type: "return", config: { value: text } });
const lines = (...texts: string[]) =>
  texts.map((text) => {
    const [source = "", to = ""] = text.split(">");
    const [from = "", branch] = source.split(".");
    return { from, to, ...(branch ? { branch } : {}) };
  });

async function begin(steps: object[], ...connections: string[]): Promise<string> {
  const input = WorkflowInput.parse({ name: "Test", steps, connections: lines(...connections) });
  const { id } = createWorkflow(test.actors.member, input);
  return (await runWorkflow(test.actors.member, id, {})).id;
}
const read = (runId: string) => readRun(test.actors.member, runId);
async function ended(runId: string): Promise<RunDetails> {
  await engine().ended(runId, AbortSignal.timeout(10_000));
  return read(runId);
}
const stateOf = (runId: string, key: string) => read(runId).steps.find((step) => step.key === key)?.state;
const waits = (runId: string) => expect.poll(() => read(runId).state, PATIENCE).toBe("waiting");

describe("branches of Parallel", () => {
  it("work at once and join, by the list's order", async () => {
    const runId = await begin([fork, call("a"), call("b"), value("{{ [steps.a.status, steps.b.status] }}")]);
    await arrived("/a", "/b");
    answer("/b");
    await expect.poll(() => stateOf(runId, "b"), PATIENCE).toBe("succeeded");
    expect(stateOf(runId, "end")).toBeUndefined();
    answer("/a");
    expect(await ended(runId)).toMatchObject({ state: "succeeded", output: [200, 200] });
  });

  it("are as long as their connections, and meet where those do", async () => {
    const runId = await begin(
      [
        fork,
        call("a"),
        call("a2", "/fast"),
        call("b"),
        call("join", "/fast"),
        value("{{ steps.a2.status }}"),
      ],
      "fork>a",
      "a>a2",
      "fork>b",
      "a2>join",
      "b>join",
      "join>end",
    );
    await arrived("/a", "/b");
    answer("/a");
    await expect.poll(() => stateOf(runId, "a2"), PATIENCE).toBe("succeeded");
    expect(stateOf(runId, "join")).toBeUndefined();
    answer("/b");
    expect(await ended(runId)).toMatchObject({ state: "succeeded", output: 200 });
    expect(keys.filter((key) => key === "join")).toHaveLength(1);
  });

  it("stop when one of them fails, and are repeated by a retry unless they had ended", async () => {
    const steps = [{ ...fork, config: { bodySteps: 3 } }, call("a"), call("b", "/fast"), call("c", "/fails")];
    const runId = await begin([...steps, value("never")]);
    await arrived("/a");
    const failed = await ended(runId);
    await isCut("/a");
    expect(failed).toMatchObject({ state: "failed", stepId: "c" });
    expect(failed.steps.map(({ key, state }) => [key, state])).toEqual([
      ["fork", "succeeded"],
      ["a", "cancelled"],
      ["b", "succeeded"],
      ["c", "failed"],
    ]);
    open.clear();
    retryRun(test.actors.member, runId);
    await arrived("/a");
    await ended(runId);
    expect(keys.filter((key) => key === "b")).toHaveLength(1);
  });

  it("ask before a retry repeats what was cut off and must not be repeated unasked", async () => {
    const steps = [fork, call("a", "/a", { askAfterCrash: true }), call("c")];
    const runId = await begin([...steps, value("done")]);
    await arrived("/a", "/c");
    open.get("/c")?.writeHead(500).end();
    expect(await ended(runId)).toMatchObject({ state: "failed", stepId: "c" });
    retryRun(test.actors.member, runId);
    await expect.poll(() => stateOf(runId, "a"), PATIENCE).toBe("waiting");
    expect(countUnread(test.actors.member)).toBeGreaterThan(0);
    expect(keys.filter((key) => key === "a")).toHaveLength(1);
  });

  it("go on after a failure where the step says so", async () => {
    const steps = [fork, call("a", "/fast"), call("b", "/fails", { onError: "continue" })];
    const runId = await begin([...steps, value("{{ has(steps.b.error) }}")]);
    expect(await ended(runId)).toMatchObject({ state: "succeeded", output: true });
  });

  it("work while another one waits for a person, who may answer meanwhile", async () => {
    const runId = await begin(
      [fork, ask, call("after"), call("b"), value("done")],
      "fork>ask",
      "ask.approved>after",
      "fork>b",
      "after>end",
      "b>end",
    );
    await arrived("/b");
    await expect.poll(() => stateOf(runId, "ask"), PATIENCE).toBe("waiting");
    expect(read(runId).state).toBe("running");
    expect(listWaitingApprovals(test.actors.member, 10)).toHaveLength(1);
    answerStep(test.actors.member, runId, "ask", true);
    await arrived("/after");
    answer("/after");
    answer("/b");
    expect(await ended(runId)).toMatchObject({ state: "succeeded", output: "done" });
  });

  it("wait together once nothing works, over restarts, and ask a person once", async () => {
    const runId = await begin([
      { ...fork, config: { bodySteps: 3 } },
      ask,
      pause,
      call("b", "/fast"),
      value("x"),
    ]);
    await waits(runId);
    expect(countUnread(test.actors.member)).toBe(1);
    setClock(() => Date.now() + 3_700_000);
    engine().resume(runId);
    await expect.poll(() => stateOf(runId, "pause"), PATIENCE).toBe("succeeded");
    await waits(runId);
    await stop();
    stop = startWorkflows();
    expect(countUnread(test.actors.member)).toBe(1);
    answerStep(test.actors.member, runId, "ask", true);
    expect(await ended(runId)).toMatchObject({ state: "succeeded" });
    expect(countUnread(test.actors.member)).toBe(0);
    expect(keys).toEqual(["b"]);
  });

  it.each([
    ["the only question", []],
    ["one of two questions", [{ ...ask, id: "other" }]],
  ])("keep the answer to %s that comes as the run begins to wait", async (_, others) => {
    const runId = await begin([{ ...fork, config: { bodySteps: 3 } }, ask, call("b", "/fast"), ...others]);
    await waits(runId);
    await stop();
    // The replay has given up, and its run isn't recorded as waiting yet.
    const settled = vi.spyOn(Journal.prototype, "settled").mockImplementationOnce(async () => {
      answerStep(test.actors.member, runId, "ask", true);
    });
    stop = startWorkflows();
    engine().resume(runId);
    await expect.poll(() => settled.mock.calls.length, PATIENCE).toBeGreaterThan(0);
    settled.mockRestore();
    await expect
      .poll(() => [stateOf(runId, "ask"), read(runId).state], PATIENCE)
      .toEqual(["succeeded", others.length > 0 ? "waiting" : "succeeded"]);
    expect(read(runId).stepId).toBe(others.length > 0 ? "other" : null);
  });

  it("go on after a restart, each where it was", async () => {
    const runId = await begin([fork, call("a", "/fast"), call("b"), value("done")]);
    await arrived("/b");
    await expect.poll(() => stateOf(runId, "a"), PATIENCE).toBe("succeeded");
    await stop();
    open.clear();
    stop = startWorkflows();
    await arrived("/b");
    answer("/b");
    expect(await ended(runId)).toMatchObject({ state: "succeeded" });
    expect(keys).toEqual(["a", "b", "b"]);
  });

  it("end with a canceled run, whose questions are closed", async () => {
    const runId = await begin([fork, ask, call("b"), value("never")]);
    await arrived("/b");
    await expect.poll(() => stateOf(runId, "ask"), PATIENCE).toBe("waiting");
    cancelRun(test.actors.member, runId);
    await isCut("/b");
    expect(read(runId).steps.map(({ state }) => state)).toEqual(["succeeded", "cancelled", "cancelled"]);
    expect(countUnread(test.actors.member)).toBe(0);
    expect(() => answerStep(test.actors.member, runId, "ask", true)).toThrow("no longer waiting");
  });
});

describe("While", () => {
  const loop = (condition: string, config = {}, options = {}) => ({
    id: "loop",
    type: "while",
    config: { condition, ...config },
    options,
  });
  const note = {
    id: "note",
    type: "log",
    config: { message: "{{ index }}: {{ last == null ? 'start' : last.message }}" },
  };

  it("repeats its steps while the condition holds, with the round and the last output", async () => {
    const runId = await begin([loop("index < 3"), note, value("{{ steps.loop }}")]);
    const done = await ended(runId);
    expect(done.output).toMatchObject({ rounds: 3, last: { message: "2: 1: 0: start" } });
    expect(done.steps.map(({ key }) => key)).toEqual([
      "loop[0]",
      "loop[0].note",
      "loop[1]",
      "loop[1].note",
      "loop[2]",
      "loop[2].note",
      "loop[3]",
      "loop",
      "end",
    ]);
  });

  it("runs nothing if the condition doesn't hold at first", async () => {
    const done = await ended(await begin([loop("last != null"), note, value("{{ steps.loop }}")]));
    expect(done.output).toEqual({ rounds: 0, last: null });
  });

  it.each([
    ["after its last round", "true", "The condition still holds after 2 rounds. Raise Max rounds."],
    ["for what is no condition", "index", "The condition must be true or false, but it is 0"],
  ])("fails %s", async (_, condition, error) => {
    const failed = await ended(await begin([loop(condition, { maxRounds: 2 }), note]));
    expect(failed).toMatchObject({ state: "failed", stepId: "loop", error: expect.stringContaining(error) });
  });

  it("goes on at its limit where the step says so", async () => {
    const steps = [loop("true", { maxRounds: 2 }, { onError: "branch" }), note, value("at the limit")];
    const runId = await begin(steps, "loop.repeat>note", "loop.error>end");
    expect(await ended(runId)).toMatchObject({ state: "succeeded", output: "at the limit" });
  });

  it("asks again in each round over restarts, beside a branch and around branches", async () => {
    const runId = await begin(
      [
        fork,
        call("b", "/fast"),
        loop("last == null || !last.approved"),
        { ...fork, id: "inner" },
        call("c", "/fast"),
        ask,
      ],
      "fork>b",
      "fork>loop",
      "loop.repeat>inner",
      "inner>c",
      "inner>ask",
    );
    for (const [round, approved] of [false, false, true].entries()) {
      await waits(runId);
      await stop();
      stop = startWorkflows();
      answerStep(test.actors.member, runId, `loop[${round}].ask`, approved);
    }
    expect(await ended(runId)).toMatchObject({ state: "succeeded" });
    expect(keys).toEqual(["b", "loop[0].c", "loop[1].c", "loop[2].c"]);
  });

  it("is nested four deep at most", () => {
    const deep = (levels: number) =>
      begin([
        ...Array.from({ length: levels }, (_, at) => ({ ...loop("false", { bodySteps: 20 }), id: `l${at}` })),
        note,
      ]);
    return Promise.all([
      expect(deep(5)).rejects.toThrow("loops can be nested 4 deep"),
      expect(deep(4).then(ended)).resolves.toMatchObject({ state: "succeeded" }),
    ]);
  });
});
