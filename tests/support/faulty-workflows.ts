import { join } from "node:path";
import { db, openConnection, setDatabase } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { engine } from "~/work/workflows/engine/local-engine.server";
import { runActor } from "~/work/workflows/engine/run-actor.server";
import { listOpenRuns } from "~/work/workflows/runs.repo.server";
import { startWorkflows } from "~/work/workflows/runs.service.server";
import { findWorkflowById } from "~/work/workflows/workflows.repo.server";

// A process with only the workflow engine, to be killed. Prints accepted triggers by number, and "done" without open
// runs.

/** Concurrent triggers. */
const AT_ONCE = 10;

const [folder = "", from = "", to = "", ...workflowIds] = process.argv.slice(2);
setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder, EGRESS_ALLOW: "127.0.0.1" });
setDatabase(openConnection(join(folder, "quarterdeck.sqlite")));
startWorkflows();

async function accept(n: number): Promise<void> {
  const workflow = findWorkflowById(db(), workflowIds[n % workflowIds.length] ?? "");
  if (!workflow) throw new Error("The workflow is missing.");
  const { runId } = await engine().accept(runActor(workflow), {
    workflowId: workflow.id,
    triggerId: "manual_1",
    triggerType: "manual",
    payload: { n },
    idempotencyKeys: [`trigger ${n}`],
  });
  process.stdout.write(`${n} ${runId}\n`);
}

for (let n = Number(from); n < Number(to); n += AT_ONCE) {
  const some = Array.from({ length: Math.min(AT_ONCE, Number(to) - n) }, (_, index) => accept(n + index));
  await Promise.all(some);
}
for (const { id } of listOpenRuns(db())) await engine().ended(id, new AbortController().signal);
process.stdout.write("done\n");
setInterval(() => undefined, 2 ** 30);
