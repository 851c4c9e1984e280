import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { z } from "zod";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { closeDatabase, openConnection, setDatabase, transaction } from "../app/core/db.server";
import { setEnv } from "../app/core/env.server";
import { addPeople } from "../tests/support/people";
import { quantile } from "./statistics";

// Delay before a job starts, throughput, and the idle cost of the queue.

const SAMPLES = 300;
const BULK = 10_000;
const THROUGHPUT = 5000;
const IDLE_MS = 5000;

const started = new Map<string, (at: number) => void>();
const quick = defineJob({
  kind: "bench.quick",
  title: "Quick",
  input: z.object({ name: z.string() }),
  lane: "interactive",
  timeoutMs: 60_000,
  run: ({ jobId }) => started.get(jobId)?.(performance.now()),
});
const bulk = defineJob({
  kind: "bench.bulk",
  title: "Bulk",
  input: quick.input,
  lane: "bulk",
  timeoutMs: 60_000,
  run: () => turn(),
});

const ms = (value: number) => `${value.toFixed(2)} ms`;

async function measureStarts(label: string): Promise<void> {
  const waits: number[] = [];
  for (let n = 0; n < SAMPLES; n++) {
    const from = performance.now();
    const at = await new Promise<number>((done) => {
      const id = transaction((tx) => enqueue(tx, quick, { name: "one" }));
      started.set(id, done);
    });
    waits.push(at - from);
    await turn();
  }
  waits.sort((a, b) => a - b);
  console.log(`${label}: p50 ${ms(quantile(waits, 0.5))}, p95 ${ms(quantile(waits, 0.95))}`);
}

async function measureThroughput(): Promise<void> {
  let remaining = THROUGHPUT;
  const from = performance.now();
  await new Promise<void>((done) => {
    for (let n = 0; n < THROUGHPUT; n++) {
      const id = transaction((tx) => enqueue(tx, quick, { name: String(n) }), { durable: false });
      started.set(id, () => {
        remaining -= 1;
        if (remaining === 0) done();
      });
    }
  });
  const seconds = (performance.now() - from) / 1000;
  console.log(
    `throughput: ${Math.round(THROUGHPUT / seconds)} jobs a second, enqueued one by one, ends durable`,
  );
}

async function measureIdle(): Promise<void> {
  const before = process.cpuUsage();
  await new Promise((done) => setTimeout(done, IDLE_MS));
  const { user, system } = process.cpuUsage(before);
  console.log(`idle for ${IDLE_MS / 1000} s: ${((user + system) / 1000).toFixed(1)} ms of processor time`);
}

const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
await addPeople(folder);
setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder });
setDatabase(openConnection(join(folder, "quarterdeck.sqlite")));
const stop = startJobs([quick, bulk]);
await measureStarts("enqueue to start, idle");
await measureThroughput();
await measureIdle();
transaction((tx) => {
  for (let n = 0; n < BULK; n++) enqueue(tx, bulk, { name: String(n) });
});
await measureStarts(`enqueue to start, ${BULK.toLocaleString("en-US")} bulk jobs waiting`);
console.log(`memory: ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`);
await stop();
closeDatabase();
rmSync(folder, { recursive: true, force: true });
