import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { rawDatabase } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { startMockServer } from "../../../tests/support/mock-server";
import { TryStepInput } from "./runs.schema";
import { tryDraftStep } from "./try-draft.service.server";
import { tryStep } from "./try-step.service.server";
import { createWorkflow } from "./workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
});
afterEach(() => {
  setClock();
  test.close();
});

const never = new AbortController().signal;
const attempt = (step: object, more: object = {}) =>
  tryStep(test.actors.member, TryStepInput.parse({ step, ...more }), never);

it.each(["item", "index", "last"])("doesn't take %s, which only a loop knows, for nothing", async (name) => {
  const step = { type: "log", config: { level: "info", message: `Now {{ ${name} }}` } };
  expect(await attempt(step)).toMatchObject({
    ok: false,
    error: `"${name}" is known within a run of the loop alone. Use Run up to Here.`,
  });
});

describe("a step that is tried alone", () => {
  it("sees the sample as its trigger and earlier outputs, and leaves no run", async () => {
    const step = { id: "say", type: "log", config: { message: "{{ trigger.name }}: {{ steps.before.n }}" } };
    expect(await attempt(step, { trigger: { name: "Ada" }, steps: { before: { n: 3 } } })).toMatchObject({
      ok: true,
      input: { message: "Ada: 3" },
      log: [{ level: "info", message: "Ada: 3" }],
      error: null,
    });
    expect(rawDatabase().prepare("SELECT count(*) FROM workflow_runs").pluck().get()).toBe(0);
    expect(listAudit(test.actors.owner, { limit: 1 }).entries[0]).toMatchObject({
      action: "workflow.step_tried",
      userId: "usr_member",
      details: { step: "Log Output", workflowName: "a new workflow" },
    });
  });

  it("reports a wrong field and the failure of a call", async () => {
    expect(await attempt({ type: "log", config: { message: "{{ trigger.none }}" } })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^Message: /),
    });
    const upstream = await startMockServer((_request, response) => response.writeHead(404).end("gone"));
    try {
      const failed = await attempt({ type: "http_request", config: { method: "GET", url: upstream.origin } });
      expect(failed).toMatchObject({ ok: false, error: expect.stringContaining("404") });
    } finally {
      await upstream.close();
    }
    await expect(attempt({ type: "none" })).rejects.toThrow(/Unknown step type/);
    await expect(
      tryStep(test.actors.viewer, TryStepInput.parse({ step: { type: "log" } }), never),
    ).rejects.toThrow(/Only members/);
  });

  it("only describes the effect of a step that controls the run", async () => {
    setClock(() => Date.UTC(2026, 10, 23, 9));
    expect(
      await attempt({ type: "delay", config: { seconds: "{{ trigger.s }}" } }, { trigger: { s: 90 } }),
    ).toMatchObject({
      ok: true,
      output: { seconds: 90, until: "2026-11-23T09:01:30.000Z" },
    });
    const question = { question: "Send {{ trigger.n }}?", sendTo: "ada@example.org" };
    expect(await attempt({ type: "approval", config: question }, { trigger: { n: 3 } })).toMatchObject({
      ok: true,
      output: { question: "Send 3?", details: "", sendTo: ["ada@example.org"], timeoutHours: null },
      log: [{ message: "Asks: Send 3?" }, { message: expect.stringContaining("Nothing was sent") }],
    });
    const list = (maxItems: number) => ({ type: "each", config: { items: "trigger.list", maxItems } });
    const trigger = { list: ["a", "b"] };
    expect(await attempt(list(2), { trigger })).toMatchObject({
      ok: true,
      output: { items: ["a", "b"], count: 2 },
      log: [{ message: 'Item 0: "a"' }, { message: 'Item 1: "b"' }],
    });
    expect(await attempt(list(1), { trigger })).toMatchObject({
      ok: false,
      error: expect.stringContaining("Max items is 1"),
    });
    const { id } = createWorkflow(test.actors.member, {
      name: "Called",
      description: "",
      triggers: [],
      steps: [{ type: "log", config: { message: "x" } }],
      connections: [],
    });
    const call = (workflow: string) => ({ type: "call_workflow", config: { workflow, payload: '{"n": 1}' } });
    expect(await attempt(call(id))).toMatchObject({
      ok: true,
      output: { workflow: "Called", payload: { n: 1 } },
      log: [{ message: expect.stringContaining("Nothing was run") }],
    });
    expect(await attempt(call("wf_none"))).toMatchObject({
      ok: false,
      error: expect.stringMatching(/not found/),
    });
    expect(rawDatabase().prepare("SELECT count(*) FROM workflow_runs").pluck().get()).toBe(0);
  });

  it("is read from the builder's form, with the sample as typed", async () => {
    const draft = JSON.stringify({
      steps: [{ id: "say", type: "log", config: { message: "{{ trigger.a }}" } }],
    });
    const send = (sampleTrigger: string, tryStep = "say") =>
      tryDraftStep(test.actors.member, { draft, tryStep, sampleTrigger }, never);
    expect(await send('{"a": 1}')).toMatchObject({
      stepId: "say",
      sample: { trigger: '{"a": 1}' },
      tried: { ok: true, log: [{ message: "1" }] },
    });
    expect((await send("{a")).tried).toEqual({
      ok: false,
      error: 'Trigger data: Enter JSON, such as {"name": "Ada"}.',
    });
    expect((await send("", "other")).tried.error).toBe("Choose a step.");
  });
});
