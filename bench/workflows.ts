import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { startServer, type TestServer } from "../tests/support/server";
import { agent, type Request, readText, runLoop } from "./load";
import { UsageMonitor } from "./measure";

const CALLERS = [1, 10, 50];
const STEPS = 3;
const SECONDS = 5;
/** Several, since one workflow runs at most ten times at once. */
const WORKFLOWS = 8;
const QUEUED = 10_000;

interface Target {
  id: string;
  request: Request;
}

const callInTurn = (targets: readonly Target[]) => async (n: number) => {
  const target = targets[n % targets.length];
  return target !== undefined && (await readText(target.request)) !== undefined;
};

async function json<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`The console returned HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Creates a workflow whose webhook responds with the returned value. */
async function createTarget(server: TestServer): Promise<Target> {
  const logs = Array.from({ length: STEPS - 1 }, (_, index) => ({
    id: `log_${index + 1}`,
    type: "log",
    config: { message: "Call {{ trigger.body.n }}" },
  }));
  const { id } = await json<{ id: string }>(
    await server.ask("/api/workflows", {
      as: "owner",
      json: {
        name: `${STEPS} steps`,
        triggers: [{ id: "hook", type: "webhook", config: { method: "POST", respond: "with Return Value" } }],
        steps: [...logs, { id: "end", type: "return", config: { value: "{{ trigger.body.n }}" } }],
      },
    }),
  );
  const hooks = await json<{ path: string }[]>(
    await server.ask(`/api/workflows/${id}/webhooks`, { as: "owner" }),
  );
  const url = new URL(hooks[0]?.path ?? "", server.baseUrl);
  return { id, request: { url, headers: { "content-type": "application/json" }, body: '{"n":1}' } };
}

/** Queues runs in the file of a stopped console, as an accepted trigger does. */
function queueRuns(server: TestServer, workflows: readonly string[]): void {
  const raw = new Database(join(server.dataDir, "quarterdeck.sqlite"));
  try {
    const insert = raw.prepare(
      `INSERT INTO workflow_runs (id, org_id, workflow_id, version, state, trigger_id, trigger_type, payload, depth, crashes, created_at)
       VALUES (?, 'org_test', ?, 1, 'queued', 'hook', 'webhook', '{"body":{"n":1}}', 0, 0, ?)`,
    );
    raw.transaction(() => {
      for (let n = 0; n < QUEUED; n++)
        insert.run(
          `run_queued${String(n).padStart(6, "0")}`,
          workflows[n % workflows.length],
          Date.now() - QUEUED + n,
        );
    })();
  } finally {
    raw.close();
  }
}

/** @returns seconds from the start of the killed console until all queued runs are finished */
async function measureRecovery(server: TestServer, workflows: readonly string[]): Promise<number> {
  await server.kill();
  queueRuns(server, workflows);
  const killed = performance.now();
  await server.start();
  const raw = new Database(join(server.dataDir, "quarterdeck.sqlite"), { readonly: true });
  const open = raw
    .prepare("SELECT count(*) FROM workflow_runs WHERE state IN ('queued', 'running', 'waiting')")
    .pluck();
  while (Number(open.get()) > 0) await pause(20);
  raw.close();
  return (performance.now() - killed) / 1000;
}

/**
 * Three-step workflows from the call of a webhook to its returned value, all durable.
 * @returns runs a second by callers, memory in MB, and seconds for the queued runs after a kill
 */
export async function measureWorkflows() {
  const server = await startServer();
  try {
    const targets: Target[] = [];
    for (let n = 0; n < WORKFLOWS; n++) targets.push(await createTarget(server));
    await runLoop(callInTurn(targets), 10, 1);
    const watch = new UsageMonitor(server.pid);
    const perSecond = new Map<number, number>();
    for (const callers of CALLERS) {
      const loop = await watch.during(() => runLoop(callInTurn(targets), callers, SECONDS));
      if (loop.failed > 0) throw new Error(`${loop.failed} runs failed.`);
      perSecond.set(callers, loop.perSecond);
    }
    const ids = targets.map(({ id }) => id);
    return { perSecond, peakMb: watch.usage.peakMb, recovery: await measureRecovery(server, ids) };
  } finally {
    await server.close();
    await agent.close();
  }
}
