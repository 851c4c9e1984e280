import { expect, it } from "vitest";
import { z } from "zod";
import { registerToolSource } from "~/ai/tools/tools.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { readRun, runWorkflow, startWorkflows } from "../runs.service.server";
import { WorkflowInput } from "../workflows.schema";
import { createWorkflow } from "../workflows.service.server";
import { engine } from "./local-engine.server";

it("reports the progress of a step's tool call only while it runs", async () => {
  const test = openTestDatabase();
  const stop = startWorkflows();
  let reportNow = () => {};
  let finish = () => {};
  const reported = new Promise<void>((resolve) => {
    reportNow = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const remove = registerToolSource({
    list: () => [
      {
        name: "lab.draw",
        title: "Draw",
        description: "Draws.",
        effect: "reads",
        input: z.object({}),
        // Its limit isn't what is tested, on however busy a machine.
        timeoutMs: 120_000,
        outputLimit: 1000,
        async run(_, { report }) {
          report({ progress: 3, total: 4, message: "Drawing axes" });
          reportNow();
          await finished;
          return {};
        },
      },
    ],
  });
  try {
    const { member } = test.actors;
    const steps = [{ id: "draw", type: "run_tool", config: { tool: "lab.draw", input: "{}" } }];
    const { id } = createWorkflow(member, WorkflowInput.parse({ name: "Draw", steps }));
    const run = await runWorkflow(member, id, {});
    await reported;
    const progress = () => readRun(member, run.id).steps.map((step) => step.progress);
    // The tool begins beside the commit that marks its step as running.
    await expect.poll(progress).toEqual([{ progress: 3, total: 4, message: "Drawing axes" }]);
    finish();
    await engine().ended(run.id, AbortSignal.timeout(10_000));
    expect(progress()).toEqual([null]);
  } finally {
    finish();
    remove();
    await stop();
    test.close();
  }
});
