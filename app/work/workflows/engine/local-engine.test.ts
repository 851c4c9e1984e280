import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../../../tests/support/database";
import { runWorkflow, startWorkflows } from "../runs.service.server";
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
