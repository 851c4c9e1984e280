/**
 * Cost of monitoring: gateway requests with rate limit and metrics, start and idle with tracing, event-loop
 * ticks during a backup. `npm run bench:monitoring [-- gateway|tracing|backup]`. Needs a build and Linux.
 */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { reportCall, reportRequest } from "~/core/telemetry.server";
import { startServer, type TestServer } from "../tests/support/server";
import { type Request, runRequests } from "./frame-load";
import { UsageMonitor } from "./process-usage";
import { median, quantile } from "./statistics";
import { addProvider, startOwn } from "./upstream";

const MODEL = "bench-monitoring";
const CALLERS = 48;
/** Users with tokens, used in rotation: limits are 1,000 calls a minute per token and 50 tokens per user. */
const PEOPLE = ["owner", "admin", "member"] as const;
const ROUNDS = 16;
const SECONDS = 2;
const LARGE_MB = 1000;

const parts = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const isRequested = (part: string) => parts.length === 0 || parts.includes(part);
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
const spreadOf = (values: readonly number[]) => [quantile(values, 0.25), quantile(values, 0.75)] as const;

async function put(server: TestServer, json: unknown): Promise<void> {
  const response = await server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json });
  if (!response.ok) throw new Error(`Not saved: ${await response.text()}`);
}

const watch = async (server: TestServer, isOn: boolean) => {
  await put(server, {
    performance: { rateLimitEnabled: isOn, rateLimit: 1000 },
    monitoring: { enableMetrics: isOn },
  });
  // Metrics start counting at the first scrape.
  if (isOn) await (await server.ask("/metrics", { as: "owner" })).text();
};

function requestOf(server: TestServer, token: string): Request {
  return {
    url: new URL("/v1/chat/completions", server.baseUrl),
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ model: MODEL, max_tokens: 10, messages: [{ role: "user", content: "Hello" }] }),
  };
}

async function addUpstream(server: TestServer) {
  const upstream = await startOwn();
  await addProvider(server, upstream, MODEL);
  return upstream;
}

async function load(server: TestServer, requests: readonly Request[], seconds: number) {
  const usage = new UsageMonitor(server.pid);
  const loops = await usage.during(() => Promise.all(requests.map((one) => runRequests(one, 1, seconds))));
  const count = sum(loops.map(({ timesMs }) => timesMs.length));
  const failed = sum(loops.map((loop) => loop.failed));
  return {
    perSecond: sum(loops.map(({ perSecond }) => perSecond)),
    cpu: usage.usage.cpuSeconds / count,
    failed,
  };
}

async function measureGateway(): Promise<void> {
  const server = await startServer();
  const upstream = await addUpstream(server);
  try {
    await put(server, { performance: { rateLimitEnabled: false } });
    const sets: Request[][] = [];
    for (const role of PEOPLE) {
      const set: Request[] = [];
      while (set.length < CALLERS) set.push(requestOf(server, await server.createToken(role)));
      sets.push(set);
    }
    for (const set of sets) await load(server, set, 1);
    const results = {
      on: [] as Awaited<ReturnType<typeof load>>[],
      off: [] as Awaited<ReturnType<typeof load>>[],
    };
    for (let round = 0; round < ROUNDS; round++) {
      const requests = sets[round % sets.length] ?? [];
      // Alternates the order, so that other load on the machine affects both.
      const order = round % 2 === 0 ? (["on", "off"] as const) : (["off", "on"] as const);
      for (const state of order) {
        await watch(server, state === "on");
        // Saving settings clears caches.
        await load(server, requests, 0.5);
        results[state].push(await load(server, requests, SECONDS));
      }
    }
    const row = (all: Awaited<ReturnType<typeof load>>[]) => ({
      "requests/s": median(all.map(({ perSecond }) => perSecond)).toFixed(0),
      "processor time": `${(median(all.map(({ cpu }) => cpu)) * 1e6).toFixed(1)} µs`,
      failed: sum(all.map(({ failed }) => failed)),
    });
    console.log(`\nGateway, rate limit and metrics on and off, ${ROUNDS} rounds of ${SECONDS} s, medians`);
    console.table({ on: row(results.on), off: row(results.off) });
    const cost = (of: (one: Awaited<ReturnType<typeof load>>) => number) => {
      const shares = results.on.map((one, index) => (of(one) / of(results.off[index] ?? one) - 1) * 100);
      const [below, above] = spreadOf(shares);
      return `${median(shares).toFixed(1)} % (half of the rounds ${below.toFixed(1)} to ${above.toFixed(1)})`;
    };
    console.log(
      `on against off, round by round: requests/s ${cost(({ perSecond }) => perSecond)}, ` +
        `processor time ${cost(({ cpu }) => cpu)}`,
    );
  } finally {
    upstream.stop();
    await server.close();
  }
}

/** Processor time and memory of a start, with or without tracing. */
async function measureStart(isOn: boolean): Promise<{ cpu: number; mb: number }> {
  const server = await startServer({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" } });
  try {
    await put(server, { monitoring: { enableTracing: isOn } });
    const starts: { cpu: number; mb: number }[] = [];
    for (let round = 0; round < 3; round++) {
      await server.restart();
      await (await server.ask("/api/health")).text();
      const { cpuSeconds, idleMb } = UsageMonitor.total(server.pid);
      starts.push({ cpu: cpuSeconds, mb: idleMb });
    }
    return { cpu: median(starts.map(({ cpu }) => cpu)), mb: median(starts.map(({ mb }) => mb)) };
  } finally {
    await server.close();
  }
}

async function measureTracing(): Promise<void> {
  const calls = 2_000_000;
  const facts = {} as Parameters<typeof reportCall>[0];
  const started = performance.now();
  for (let call = 0; call < calls; call++) {
    reportRequest("req_1", "GET", "/api/tools", 200, 0);
    reportCall(facts, "req_1");
  }
  const each = ((performance.now() - started) / calls) * 1e6;
  console.log(`\nTracing off: ${each.toFixed(1)} ns for a request with a model call`);
  const row = ({ cpu, mb }: { cpu: number; mb: number }) => ({
    "processor time of a start": `${(cpu * 1000).toFixed(0)} ms`,
    memory: `${mb.toFixed(0)} MB`,
  });
  console.table({ off: row(await measureStart(false)), on: row(await measureStart(true)) });
}

function enlarge(server: TestServer): void {
  const raw = new Database(join(server.dataDir, "quarterdeck.sqlite"));
  raw.exec("CREATE TABLE bench_bulk (id INTEGER PRIMARY KEY, bytes blob)");
  const insert = raw.prepare("INSERT INTO bench_bulk (bytes) VALUES (randomblob(100000))");
  const step = 100;
  for (let mb = 0; mb < LARGE_MB; mb += step) {
    raw.transaction(() => {
      for (let row = 0; row < step * 10; row++) insert.run();
    })();
  }
  raw.pragma("wal_checkpoint(TRUNCATE)");
  raw.close();
}

/** The longest event-loop tick since the last call, in ms of processor time. */
async function readTurns(server: TestServer): Promise<{ used: number; longest: number }> {
  const before = server.output.length;
  process.kill(server.pid, "SIGUSR2");
  for (;;) {
    const found = /@turns (\{.*\})\n/.exec(server.output.slice(before))?.[1];
    if (found) return JSON.parse(found) as { used: number; longest: number };
    await pause(5);
  }
}

async function measureBackup(): Promise<void> {
  const probe = pathToFileURL(resolve("tests/support/turn-probe.mjs")).href;
  const server = await startServer({ env: { NODE_OPTIONS: `--import ${probe}`, TURN_PROBE: "1" } });
  const upstream = await addUpstream(server);
  try {
    await put(server, { performance: { rateLimitEnabled: false } });
    enlarge(server);
    const requests = [requestOf(server, await server.createToken("owner"))];
    const callers = Array.from({ length: 16 }, () => requests[0] as Request);
    await load(server, callers, 5);
    await readTurns(server);
    const idle = await load(server, callers, 10);
    const idleTurns = await readTurns(server);
    const folder = join(server.dataDir, "backups");
    await server.ask("/api/system/backups", { as: "owner", json: {} });
    const started = performance.now();
    let during: Awaited<ReturnType<typeof load>>[] = [];
    const isDone = () => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(".tar.gz"));
    while (!isDone()) during = [...during, await load(server, callers, 2)];
    const seconds = (performance.now() - started) / 1000;
    const turns = await readTurns(server);
    const [name = ""] = readdirSync(folder).filter((file) => file.endsWith(".tar.gz"));
    const megabytes = statSync(join(folder, name)).size / 1e6;
    console.log(
      `\nBackup of ${LARGE_MB} MB with 16 callers at the gateway: ${seconds.toFixed(0)} s, ${megabytes.toFixed(0)} MB`,
    );
    console.table({
      before: {
        "requests/s": idle.perSecond.toFixed(0),
        "longest turn": `${idleTurns.longest.toFixed(1)} ms`,
      },
      during: {
        "requests/s": median(during.map(({ perSecond }) => perSecond)).toFixed(0),
        "longest turn": `${turns.longest.toFixed(1)} ms`,
      },
    });
    rmSync(folder, { recursive: true });
  } finally {
    upstream.stop();
    await server.close();
  }
}

console.log(`Upstream, console and callers share this machine, ${loadavg()[0]?.toFixed(1)} busy before.`);
if (isRequested("gateway")) await measureGateway();
if (isRequested("tracing")) await measureTracing();
if (isRequested("backup")) await measureBackup();
process.exit(0);
