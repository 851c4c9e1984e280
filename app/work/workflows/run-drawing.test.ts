import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTestDatabase } from "../../../tests/support/database";
import { engine } from "./engine/local-engine.server";
import { drawChanges, drawRun, drawWorkflow, listShownSteps } from "./run-drawing.service.server";
import type { RunDrawing } from "./run-drawing.shared";
import { cancelRun, readRun, runWorkflow, startWorkflows } from "./runs.service.server";
import { compareVersions } from "./versions.service.server";
import type { WorkflowInput } from "./workflows.schema";
import { createWorkflow, updateWorkflow } from "./workflows.service.server";

describe("the graph of a run", () => {
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

  type Parts = Pick<WorkflowInput, "steps"> & Partial<WorkflowInput>;
  async function start(input: Parts): Promise<string> {
    const { member } = test.actors;
    const triggers = input.triggers ?? [{ id: "hand", type: "manual" }];
    const { id } = createWorkflow(member, {
      name: "Drawn",
      description: "",
      connections: [],
      ...input,
      triggers,
    });
    return (await runWorkflow(member, id, {})).id;
  }
  async function draw(input: Parts): Promise<RunDrawing> {
    const { member } = test.actors;
    const runId = await start(input);
    await engine().ended(runId, AbortSignal.timeout(10_000));
    return drawRun(member, readRun(member, runId)) as RunDrawing;
  }
  const states = ({ nodes }: RunDrawing) => nodes.map(({ id, state }) => [id, state]);
  const log = (id: string, position?: { x: number; y: number }) => ({
    id,
    type: "log",
    config: { message: id },
    ...(position ? { position } : {}),
  });

  it("shows each node's state, and the connections that the run took", async () => {
    const drawing = await draw({
      steps: [
        { id: "check", type: "condition", config: { condition: "false" } },
        log("yes"),
        { id: "no", type: "http_request", config: { url: "http://127.0.0.1:9/" } },
      ],
      connections: [
        { from: "hand", to: "check" },
        { from: "check", to: "yes", branch: "true" },
        { from: "check", to: "no", branch: "false" },
      ],
    });
    expect(states(drawing)).toEqual([
      ["hand", "started"],
      ["check", "succeeded"],
      ["yes", "unused"],
      ["no", "failed"],
    ]);
    expect(drawing.lines.map(({ id, taken }) => [id, taken])).toEqual([
      ["hand>check:", true],
      ["check>yes:true", false],
      ["check>no:false", true],
    ]);
    expect(drawing.nodes.find(({ id }) => id === "no")).toMatchObject({
      key: "no",
      took: expect.any(Number),
    });
  });

  it("counts a loop's items in one node, and connects a list in order", async () => {
    const drawing = await draw({
      steps: [
        { id: "loop", type: "each", config: { items: "[1, 2, 3]", bodySteps: 1 } },
        log("body"),
        log("end"),
      ],
    });
    expect(drawing.nodes).toMatchObject([
      {},
      { id: "loop", count: 1 },
      { id: "body", count: 3 },
      { count: 1 },
    ]);
    expect(drawing.lines.map(({ id, taken }) => [id, taken])).toEqual([
      ["hand>loop:", true],
      ["loop>body:each", true],
      ["loop>end:done", true],
    ]);
  });

  const loop = (type: string, config: object, options = {}) => ({
    id: "loop",
    type,
    config: { ...config, bodySteps: 1 },
    options,
  });
  const shout = { id: "body", type: "code", config: { code: 'throw new Error("Boom")', input: "" } };
  const whileUnder = (limit: number) => loop("while", { condition: "index < 9", maxRounds: limit });
  it.each([
    [
      "reaches its limit",
      whileUnder(2),
      log("body"),
      "Raise Max rounds",
      ["loop", "loop[0].body", "loop[1].body"],
    ],
    ["can't read its condition", loop("while", { condition: "1" }), log("body"), "true or false", ["loop"]],
    ["has a body that fails", whileUnder(5), shout, "The step loop[0].body failed", ["loop", "loop[0].body"]],
    [
      "has an item that fails",
      loop("each", { items: "[1, 2]" }),
      shout,
      "The step loop[0].body failed",
      ["loop", "loop[0].body"],
    ],
  ])("shows a loop as failed that %s", async (_, container, body, error, keys) => {
    const { member } = test.actors;
    const runId = await start({ steps: [container, body] });
    await engine().ended(runId, AbortSignal.timeout(10_000));
    const run = readRun(member, runId);
    const node = drawRun(member, run)?.nodes.find(({ id }) => id === "loop");
    expect(node).toMatchObject({ state: "failed", key: "loop", count: 1, took: expect.any(Number) });
    const shown = listShownSteps(run);
    expect(shown.map(({ key }) => key)).toEqual(keys);
    expect(shown[0]).toMatchObject({ state: "failed", error: expect.stringContaining(error) });
  });

  it("shows each of nested loops as failed, and one whose failure the run survives", async () => {
    const { member } = test.actors;
    const nested = {
      steps: [
        { ...loop("each", { items: "[1]" }), id: "outer", config: { items: "[1]", bodySteps: 2 } },
        whileUnder(3),
        shout,
      ],
    };
    expect(states(await draw(nested))).toEqual([
      ["hand", "started"],
      ["outer", "failed"],
      ["loop", "failed"],
      ["body", "failed"],
    ]);
    const survived = loop("while", { condition: "1" }, { onError: "continue" });
    const runId = await start({ steps: [survived, log("body"), log("after")] });
    await engine().ended(runId, AbortSignal.timeout(10_000));
    const run = readRun(member, runId);
    expect(run.state).toBe("succeeded");
    expect(listShownSteps(run).map(({ key, state }) => [key, state])).toEqual([
      ["loop", "failed"],
      ["after", "succeeded"],
    ]);
  });

  it("shows a loop as running while its rounds go on, and as ended by the value that they return", async () => {
    const { member } = test.actors;
    const ask = { id: "body", type: "approval", config: { question: "Again?" } };
    const runId = await start({ steps: [whileUnder(5), ask] });
    await vi.waitFor(() => expect(readRun(member, runId).state).toBe("waiting"));
    const shownStates = () => listShownSteps(readRun(member, runId)).map(({ state }) => state);
    expect(shownStates()).toEqual(["running", "waiting"]);
    expect(states(drawRun(member, readRun(member, runId)) as RunDrawing).slice(1)).toEqual([
      ["loop", "running"],
      ["body", "waiting"],
    ]);
    cancelRun(member, runId);
    expect(shownStates()).toEqual(["cancelled", "cancelled"]);
    const value = { id: "body", type: "return", config: { value: "1" } };
    expect(states(await draw({ steps: [whileUnder(5), value] })).slice(1)).toEqual([
      ["loop", "succeeded"],
      ["body", "succeeded"],
    ]);
  });

  it("splits and joins at branches, and counts a While's rounds", async () => {
    const drawing = await draw({
      steps: [
        { id: "fork", type: "parallel", config: { bodySteps: 2 } },
        log("a"),
        log("b"),
        { id: "loop", type: "while", config: { condition: "index < 2", bodySteps: 1 } },
        log("body"),
      ],
    });
    expect(drawing.nodes.map(({ id, count, state }) => [id, count, state])).toEqual([
      ["hand", 0, "started"],
      ["fork", 1, "succeeded"],
      ["a", 1, "succeeded"],
      ["b", 1, "succeeded"],
      ["loop", 1, "succeeded"],
      ["body", 2, "succeeded"],
    ]);
    expect(drawing.lines.every(({ taken }) => taken)).toBe(true);
    expect(drawing.lines.map(({ id }) => id)).toEqual([
      "hand>fork:",
      "fork>a:",
      "fork>b:",
      "a>loop:",
      "b>loop:",
      "loop>body:repeat",
    ]);
  });

  it("keeps stored positions, moved to the corner", async () => {
    const { nodes } = await draw({
      triggers: [{ id: "hand", type: "manual", position: { x: -100, y: 40 } }],
      steps: [log("a", { x: 200, y: 240 })],
    });
    const [hand, a] = nodes;
    expect(hand).toMatchObject({ x: 8, y: 8 });
    expect([a?.x, a?.y]).toEqual([268, 181]);
  });

  it("shows what two versions differ in, with the removed parts and lines", () => {
    const { member } = test.actors;
    const { id } = createWorkflow(member, {
      name: "Drawn",
      description: "",
      triggers: [{ id: "hand", type: "manual" }],
      steps: [log("kept"), log("worded"), log("gone")],
      connections: [
        { from: "hand", to: "kept" },
        { from: "kept", to: "worded" },
        { from: "worded", to: "gone" },
      ],
    });
    updateWorkflow(member, id, {
      steps: [log("kept"), { ...log("worded"), config: { message: "Other" } }, log("new")],
      connections: [
        { from: "hand", to: "kept" },
        { from: "kept", to: "worded" },
        { from: "kept", to: "new" },
      ],
    });
    const drawing = drawChanges(member, id, compareVersions(member, id, 1, 2));
    expect(drawing?.nodes.map((node) => [node.id, node.change])).toEqual([
      ["hand", "same"],
      ["kept", "same"],
      ["worded", "changed"],
      ["new", "added"],
      ["gone", "removed"],
    ]);
    expect(drawing?.lines.map((line) => [line.id, line.change])).toEqual([
      ["hand>kept:", "same"],
      ["kept>worded:", "same"],
      ["kept>new:", "added"],
      ["worded>gone:", "removed"],
    ]);
  });

  it("shows a workflow as it is now, with the lines that its order implies", () => {
    const { member } = test.actors;
    const triggers = [{ id: "hand", type: "manual" }];
    const made = createWorkflow(member, {
      name: "Drawn",
      description: "",
      triggers,
      steps: [log("first"), log("second")],
      connections: [],
    });
    const drawing = drawWorkflow(member, made);
    expect(drawing?.nodes.map(({ id, change }) => [id, change])).toEqual([
      ["hand", "same"],
      ["first", "same"],
      ["second", "same"],
    ]);
    expect(drawing?.lines.map(({ id }) => id)).toEqual(["hand>first:", "first>second:"]);
  });
});
