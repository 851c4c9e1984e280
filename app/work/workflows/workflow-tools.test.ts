import { afterEach, beforeEach, expect, it } from "vitest";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { listTools } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import type { AppError } from "~/core/errors";
import { openTestDatabase } from "../../../tests/support/database";
import { runActor } from "./engine/run-actor.server";
import { findRun } from "./runs.repo.server";
import { pageRuns, readRun, startWorkflows } from "./runs.service.server";
import { declaredInputs, InputLines, valuesSchema } from "./triggers/declared-inputs";
import { findWorkflowById } from "./workflows.repo.server";
import { createWorkflow, duplicateWorkflow, updateWorkflow } from "./workflows.service.server";

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

const TRIGGER = {
  name: "find_order",
  description: "Finds an order.",
  inputs: "number* (number): The order's number\nnote: A note",
};
const make = (steps: { type: string; id: string; config: Record<string, unknown> }[]) =>
  createWorkflow(test.actors.member, {
    name: "Orders",
    description: "",
    triggers: [{ type: "tool", id: "start", config: TRIGGER }],
    steps,
    connections: [],
  });
const ANSWER = { type: "return", id: "end", config: { value: "Order {{ trigger.number }}" } };
const call = (actor: Actor, input: unknown) =>
  callTool(actor, "workflow.find_order", input, {
    source: { kind: "chat", conversationId: "con_1" } as never,
    signal: new AbortController().signal,
    approval: "given",
  });

it("offers an enabled workflow with the schema of its inputs", () => {
  const { id } = make([ANSWER]);
  const { owner } = test.actors;
  const offered = () => listTools(owner).find(({ name }) => name === "workflow.find_order");
  expect(offered()).toMatchObject({
    title: "Orders",
    effect: "outside",
    policy: "ask",
    inputSchema: {
      properties: { number: { type: "number", description: "The order's number" }, note: { type: "string" } },
      required: ["number"],
      additionalProperties: false,
    },
  });
  updateWorkflow(test.actors.member, id, { enabled: false });
  expect(offered()).toBeUndefined();
});

it("refuses a name that an enabled workflow or another trigger has, at a save and when it is enabled", () => {
  const first = make([ANSWER]);
  const { member } = test.actors;
  const refusal = (act: () => unknown) => {
    try {
      act();
      return undefined;
    } catch (error) {
      return (error as AppError).fields?.["triggers.0.config.name"]?.[0];
    }
  };
  const used = `The tool name "find_order" is used by the workflow "Orders". Choose another one.`;
  expect(refusal(() => make([ANSWER]))).toBe(used);
  const copy = duplicateWorkflow(member, first.id);
  expect(refusal(() => updateWorkflow(member, copy.id, { enabled: true }))).toBe(used);
  expect(refusal(() => updateWorkflow(member, copy.id, { triggers: copy.triggers }))).toBe(used);
  expect(refusal(() => updateWorkflow(member, first.id, { triggers: first.triggers }))).toBeUndefined();
  const twice = [...copy.triggers, ...copy.triggers.map((trigger) => ({ ...trigger, id: "again" }))];
  updateWorkflow(member, first.id, { enabled: false });
  expect(() => updateWorkflow(member, copy.id, { triggers: twice })).toThrow("another trigger");
  expect(updateWorkflow(member, copy.id, { enabled: true }).enabled).toBe(true);
});

it("runs with the caller's rights and returns what the workflow returned, or why it failed", async () => {
  const { id } = make([ANSWER]);
  const { admin, viewer } = test.actors;
  const outcome = await call(admin, { number: 7 });
  expect(outcome).toMatchObject({ ok: true, output: { state: "succeeded", result: "Order 7" } });
  const [run] = pageRuns(admin, { workflow: id, limit: 5 }).runs;
  expect(readRun(admin, run?.id ?? "")).toMatchObject({
    startedBy: { id: admin.userId },
    trigger: { type: "tool" },
    payload: { number: 7 },
  });
  const [row, workflow] = [findRun(db(), run?.id ?? ""), findWorkflowById(db(), id)];
  expect(workflow && row && runActor(workflow, row)).toMatchObject({ userId: admin.userId, role: "admin" });
  expect(await call(admin, { number: "seven" })).toMatchObject({ ok: false, code: "invalid" });
  expect(await call(viewer, { number: 7 })).toMatchObject({ ok: false, code: "forbidden" });
  updateWorkflow(test.actors.member, id, {
    steps: [{ type: "log", id: "say", config: { message: "{{ trigger.missing }}" } }],
  });
  expect(await call(admin, { number: 7 })).toMatchObject({
    ok: true,
    output: { state: "failed", error: expect.stringContaining("missing") },
  });
});

it("can't be called by a workflow", async () => {
  make([ANSWER]);
  const actor = { ...test.actors.member, kind: "workflow" as const };
  expect(await call(actor, { number: 7 })).toMatchObject({
    ok: false,
    error: expect.stringContaining("Call Workflow"),
  });
});

it.each([
  ["email* (email): Your address", undefined],
  ["Email: Your address", "Its name must begin with a small letter"],
  ["email Your address", "It has no colon"],
  ["email:", "It has no label"],
  [`email: ${"x".repeat(201)}`, "Its label is too long: use at most 200 characters"],
  [`email: ${"x".repeat(200)}`, undefined],
  ["email * (long) : Your address: here", undefined],
  ["__proto__: x", "can't be read"],
  ["a: x\na: y", "used twice"],
  [Array.from({ length: 31 }, (_, at) => `a${at}: x`).join("\n"), "at most 30 lines"],
  ["a (file): x", 'There is no kind "file": use text, long, number'],
])("reads the inputs %j", (text, problem) => {
  const messages =
    InputLines("Enter one")
      .safeParse(text)
      .error?.issues.map(({ message }) => message) ?? [];
  if (problem) expect(messages.join()).toContain(problem);
  else expect(messages).toEqual([]);
});

it("checks values by their kinds, and refuses others", () => {
  const schema = valuesSchema(
    declaredInputs("a*: A\nn (number): N\nd (date): D\ny (yesno): Y\ne (email): E"),
  );
  expect(schema.safeParse({ a: "x", n: 1, d: "2026-01-31", y: true, e: "a@example.com" }).success).toBe(true);
  expect(schema.safeParse({ a: "x" }).success).toBe(true);
  for (const wrong of [
    {},
    { a: " " },
    { a: "x", n: "1" },
    { a: "x", d: "tomorrow" },
    { a: "x", other: 1 },
    { a: "x".repeat(501) },
  ])
    expect([wrong, schema.safeParse(wrong).success]).toEqual([wrong, false]);
});
