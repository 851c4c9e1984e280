/**
 * Runs per second from webhook to response, latency at 50 a second, and recovery of 10,000 queued runs.
 * `npm run bench:workflows`. Needs a build and Linux.
 */
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { startServer, type TestServer } from "../tests/support/server";
import { agent, type LoopTiming, runLoop } from "./load";
import { UsageMonitor } from "./process-usage";
import { ms, quantile } from "./statistics";

const CALLERS = [1, 10, 50];
const STEPS = [1, 3, 10];
const SECONDS = 5;
/** Several, since one workflow runs at most ten times at once. */
const WORKFLOWS = 8;
const PACED_PER_SECOND = 50;
const PACED_CALLS = 500;
const QUEUED = 10_000;

type Target = { url: URL; method: string; expected: number };

async function call({ url, method, expected }: Target): Promise<boolean> {
  const answer = await agent.request({
    origin: url.origin,
    path: url.pathname as string,
    method: method as "POST",
    headers: { "content-type": "application/json" },
    ...(method === "GET" ? {} : { body: '{"n":1}' }),
  });
  await answer.body.text();
  return answer.statusCode === expected;
}

const callInTurn = (targets: readonly Target[]) => async (n: number) => {
  const target = targets[n % targets.length];
  return target !== undefined && (await call(target));
};

async function json<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`The console returned HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Creates a workflow with `steps` steps whose webhook responds with the returned value. */
async function createTarget(server: TestServer, steps: number): Promise<Target & { id: string }> {
  const logs = Array.from({ length: steps - 1 }, (_, index) => ({
    id: `log_${index + 1}`,
    type: "log",
    config: { message: "Call {{ trigger.body.n }}" },
  }));
  const { id } = await json<{ id: string }>(
    await server.ask("/api/workflows", {
      as: "owner",
      json: {
        name: `${steps} steps`,
        triggers: [{ id: "hook", type: "webhook", config: { method: "POST", respond: "with Return Value" } }],
        steps: [...logs, { id: "end", type: "return", config: { value: "{{ trigger.body.n }}" } }],
      },
    }),
  );
  const hooks = await json<{ webhooks: { path: string }[] } | { path: string }[]>(
    await server.ask(`/api/workflows/${id}/webhooks`, { as: "owner" }),
  );
  const [hook] = Array.isArray(hooks) ? hooks : hooks.webhooks;
  return { id, url: new URL(hook?.path ?? "", server.baseUrl), method: "POST", expected: 200 };
}

function print(
  name: string,
  { perSecond, timesMs, failed }: LoopTiming,
  cpuSeconds: number,
  direct?: LoopTiming,
): void {
  const share = direct ? `, ${((perSecond / direct.perSecond) * 100).toFixed(0)} % of direct` : "";
  console.log(
    `${name}: ${perSecond.toFixed(0)} a second${share} · p50 ${ms(quantile(timesMs, 0.5))}, p95 ${ms(quantile(timesMs, 0.95))} · ` +
      `${((cpuSeconds / timesMs.length) * 1e6).toFixed(0)} µs of processor time each` +
      (failed > 0 ? ` · ${failed} FAILED` : ""),
  );
}

async function measurePaced(target: Target): Promise<void> {
  const timesMs: number[] = [];
  const calls: Promise<void>[] = [];
  const started = performance.now();
  for (let n = 0; n < PACED_CALLS; n++) {
    const due = started + (n * 1000) / PACED_PER_SECOND;
    const wait = due - performance.now();
    if (wait > 0) await pause(wait);
    // Measured from the due time, so that a late generator doesn't hide a wait.
    calls.push(
      call(target).then((ok) => void timesMs.push(ok ? performance.now() - due : Number.POSITIVE_INFINITY)),
    );
  }
  await Promise.all(calls);
  console.log(
    `${PACED_PER_SECOND} a second, three steps, webhook to finished run: p50 ${ms(quantile(timesMs, 0.5))}, ` +
      `p95 ${ms(quantile(timesMs, 0.95))}, p99 ${ms(quantile(timesMs, 0.99))}`,
  );
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

async function measureRecovery(server: TestServer, workflows: readonly string[]): Promise<void> {
  await server.kill();
  queueRuns(server, workflows);
  const killed = performance.now();
  await server.start();
  const ready = performance.now();
  const raw = new Database(join(server.dataDir, "quarterdeck.sqlite"), { readonly: true });
  const open = raw
    .prepare("SELECT count(*) FROM workflow_runs WHERE state IN ('queued', 'running', 'waiting')")
    .pluck();
  const times = raw
    .prepare(
      "SELECT min(started_at), min(finished_at), max(finished_at) FROM workflow_runs WHERE id LIKE 'run_queued%'",
    )
    .raw();
  const watch = new UsageMonitor(server.pid);
  await watch.during(async () => {
    while (Number(open.get()) > 0) await pause(20);
  });
  const [start = 0, first = 0, last = 0] = times.get() as number[];
  raw.close();
  console.log(
    `recovery of ${QUEUED.toLocaleString("en-US")} queued three-step runs: console ready after ${((ready - killed) / 1000).toFixed(1)} s; ` +
      `first one finished ${((first - start) / 1000).toFixed(2)} s after the first start, all after ${((last - start) / 1000).toFixed(1)} s; ` +
      `${watch.usage.cpuSeconds.toFixed(1)} s of processor time, ${watch.usage.peakMb.toFixed(0)} MB at most`,
  );
}

console.log(
  `${cpus().length} processors, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(1)}; load generator and console share them`,
);
const server = await startServer();
try {
  const unknown: Target = { url: new URL("/api/hooks/none", server.baseUrl), method: "POST", expected: 404 };
  const targets = new Map<number, (Target & { id: string })[]>();
  for (const steps of STEPS) {
    const some = [];
    for (let n = 0; n < WORKFLOWS; n++) some.push(await createTarget(server, steps));
    targets.set(steps, some);
  }
  for (const some of targets.values()) await runLoop(callInTurn(some), 10, 1);
  const watch = new UsageMonitor(server.pid);
  const measure = async (some: readonly Target[], callers: number) => {
    const before = watch.usage.cpuSeconds;
    const loop = await watch.during(() => runLoop(callInTurn(some), callers, SECONDS));
    return { loop, cpuSeconds: watch.usage.cpuSeconds - before };
  };
  for (const callers of CALLERS) {
    const direct = await measure([unknown], callers);
    print(`direct, ${callers} at once: an unknown webhook's 404`, direct.loop, direct.cpuSeconds);
    for (const [steps, some] of targets) {
      const { loop, cpuSeconds } = await measure(some, callers);
      print(`${steps} ${steps === 1 ? "step" : "steps"}, ${callers} at once`, loop, cpuSeconds, direct.loop);
    }
  }
  console.log(
    `memory: ${watch.usage.idleMb.toFixed(0)} MB before, ${watch.usage.peakMb.toFixed(0)} MB at most`,
  );
  const three = targets.get(3) ?? [];
  if (three[0]) await measurePaced(three[0]);
  await measureRecovery(
    server,
    three.map(({ id }) => id),
  );
} finally {
  await server.close();
  await agent.close();
}
