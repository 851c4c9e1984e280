import { setTimeout } from "node:timers/promises";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { recordUsage } from "~/team/usage/usage.service.server";
import { writeDatabase } from "../tests/support/live-database";
import { people } from "../tests/support/people";
import { startServer } from "../tests/support/server";
import { ms, quantile, UsageMonitor } from "./measure";

// `node scripts/run.mjs bench/dashboard.ts [calls]`: the dashboard over calls of the last 14 days by 200 people to 12
// models, beside the same page without any. A probe asks /healthz all the time: what it waits is what others wait.
const CALLS = Number(process.argv[2] ?? 100_000);
const SPAN = 14 * 86_400_000;
const ROUNDS = 60;

const server = await startServer();

function addCalls(): void {
  const begun = Date.now();
  transaction((tx) => {
    for (let n = 0; n < CALLS; n++) {
      setClock(() => begun - SPAN + Math.floor((n / CALLS) * SPAN));
      const userId = n % 3 ? `usr_${n % 200}` : people.owner.userId;
      recordUsage(
        tx,
        { orgId: "org_test", userId },
        {
          providerId: null,
          providerType: "openai",
          model: `model-${(n * 7) % 12}`,
          inputTokens: 1000 + (n % 500),
          outputTokens: 200,
          costMicros: 3000 + (n % 900),
          firstTokenMs: 300,
          durationMs: 2000,
          outcome: n % 50 ? "ok" : "error",
        },
      );
    }
    setClock();
  });
}

/** In ms. */
async function ask(path: string): Promise<number> {
  const at = performance.now();
  const response = await server.ask(path, { as: "owner", headers: { accept: "text/html" } });
  await response.text();
  if (!response.ok) throw new Error(`${path} returned HTTP ${response.status}.`);
  return performance.now() - at;
}

async function askOften(path: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    times.push(await ask(path));
    await setTimeout(20);
  }
  return times;
}

/** @returns the waits of the probe, in ms */
async function probeDuring(work: () => Promise<unknown>): Promise<number[]> {
  const waits: number[] = [];
  const controller = new AbortController();
  const probe = (async () => {
    while (!controller.signal.aborted) {
      waits.push(await ask("/healthz"));
      await setTimeout(2);
    }
  })();
  await work();
  controller.abort();
  await probe;
  return waits;
}

async function measure(path: string, name: string): Promise<void> {
  const first = await ask(path);
  await askOften(path);
  const before = UsageMonitor.total(server.pid).cpuSeconds;
  const times = await askOften(path);
  const cpu = ((UsageMonitor.total(server.pid).cpuSeconds - before) / ROUNDS) * 1000;
  const waits = await probeDuring(() => askOften(path));
  const [p50, p95, held] = [quantile(times, 0.5), quantile(times, 0.95), quantile(waits, 0.99)].map(ms);
  console.log(
    `${path}, ${name}: processor time ${ms(cpu)}; first ${ms(first)}, p50 ${p50}, p95 ${p95}; the probe's p99 ${held}`,
  );
}

try {
  await askOften("/healthz");
  const rest = await probeDuring(() => setTimeout(3000));
  console.log(`The probe at rest: p50 ${ms(quantile(rest, 0.5))}, p99 ${ms(quantile(rest, 0.99))}`);
  await measure("/", "no calls");
  writeDatabase(server, addCalls);
  await measure("/", `${CALLS} calls`);
  await measure("/usage", `${CALLS} calls`);
} finally {
  await server.close();
}
