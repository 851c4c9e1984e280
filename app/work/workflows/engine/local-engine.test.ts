import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../../../tests/support/database";
import { runWorkflow, startWorkflows } from "../runs.service.server";
import { WorkflowInput } from "../workflows.schema";
import { createWorkflow } from "../workflows.service.server";
import { engine } from "./local-engine.server";

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

it("ends the wait for a run with the reason of its signal", async () => {
  const { id: workflowId } = createWorkflow(test.actors.member, {
    name: "Waits",
    description: "",
    triggers: [],
    steps: [{ type: "delay", config: { seconds: 3600 } }],
    connections: [],
  });
  const { id } = await runWorkflow(test.actors.member, workflowId, {});
  const reason = new Error("The caller has left.");
  await expect(engine().ended(id, AbortSignal.abort(reason))).rejects.toBe(reason);
  const caller = new AbortController();
  const waiting = engine().ended(id, caller.signal);
  caller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

it("gives the caller of another workflow a large value whole", async () => {
  const create = (name: string, steps: object[]) =>
    createWorkflow(test.actors.member, WorkflowInput.parse({ name, steps })).id;
  const called = create("Called", [{ type: "return", config: { value: "{{ trigger.text }}" } }]);
  const calling = create("Calling", [
    { id: "call", type: "call_workflow", config: { workflow: called, payload: "trigger" } },
    { type: "return", config: { value: "{{ steps.call }}" } },
  ]);
  const { id } = await runWorkflow(test.actors.member, calling, { text: "x".repeat(300_000) });
  // The size is that of the value with its quotation marks, not of a reference to it.
  expect(await engine().ended(id, AbortSignal.timeout(10_000))).toMatchObject({
    state: "succeeded",
    output: { truncated: true, bytes: 300_002, url: `/api/runs/${id}/steps/call/output` },
  });
});
