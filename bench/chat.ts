/**
 * Time to first token, tokens per second and memory, against the upstream asked directly. `npm run
 * bench:chat [-- 1 50 500] [-- --own]`: levels; `--own` for our smaller upstream only. Needs a build and
 * Linux.
 */
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { openConnection } from "~/core/db.server";
import { startServer, type TestServer } from "../tests/support/server";
import { consoleText, openAiText, runRound, type StreamTiming, type Target } from "./load";
import { type Usage, UsageMonitor } from "./process-usage";
import { quantile } from "./statistics";
import { addProvider, startAimock, startOwn, type Upstream } from "./upstream";
import { LEVELS, type Level, question, WARM_UP } from "./workload";

const JSON_TYPE = { "content-type": "application/json" };
/** Minimum share of the target rate that the upstream must deliver. */
const MIN_RATE_SHARE = 0.8;

interface Measured {
  level: Level;
  upstream: string;
  direct: StreamTiming[];
  console: StreamTiming[];
  usage: Usage;
}

function directly(upstream: Upstream, model: string): Target {
  return {
    url: new URL("/v1/chat/completions", upstream.origin),
    headers: JSON_TYPE,
    body: (level) =>
      JSON.stringify({ model, stream: true, messages: [{ role: "user", content: question(level) }] }),
    textOf: openAiText,
  };
}

function throughConsole(server: TestServer, token: string, model: string): Target {
  return {
    url: new URL("/api/ai/chat", server.baseUrl),
    headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
    body: (level) => JSON.stringify({ model, messages: [{ role: "user", content: question(level) }] }),
    textOf: consoleText,
  };
}

async function measure(
  level: Level,
  server: TestServer,
  token: string,
  upstream: Upstream,
): Promise<Measured> {
  const model = `bench-${upstream.name}`;
  await addProvider(server, upstream, model);
  const targets = { direct: directly(upstream, model), console: throughConsole(server, token, model) };
  const measured: Measured = {
    level,
    upstream: upstream.name,
    direct: [],
    console: [],
    usage: new UsageMonitor(server.pid).usage,
  };
  // Compiles the hot paths first.
  for (let round = 0; round < WARM_UP.rounds; round++) {
    await runRound(targets.direct, WARM_UP);
    await runRound(targets.console, WARM_UP);
  }
  const watch = new UsageMonitor(server.pid);
  for (let round = 0; round < level.rounds; round++) {
    measured.direct.push(...(await runRound(targets.direct, level)));
    measured.console.push(...(await watch.during(() => runRound(targets.console, level))));
  }
  return { ...measured, usage: watch.usage };
}

function row(name: string, timings: StreamTiming[]): Record<string, string> {
  const first = timings.map((timing) => timing.firstTokenMs);
  const rate = timings.map((timing) => timing.tokensPerSecond);
  return {
    "": name,
    "first token p50": `${quantile(first, 0.5).toFixed(1)} ms`,
    "first token p95": `${quantile(first, 0.95).toFixed(1)} ms`,
    "tokens/s p50": quantile(rate, 0.5).toFixed(1),
    "tokens/s p5": quantile(rate, 0.05).toFixed(1),
  };
}

const pace = (timings: StreamTiming[]) =>
  quantile(
    timings.map((timing) => timing.tokensPerSecond),
    0.5,
  );

function report({ level, upstream, direct, console: through, usage }: Measured): void {
  const first = (timings: StreamTiming[]) =>
    quantile(
      timings.map((timing) => timing.firstTokenMs),
      0.5,
    );
  const tokens = level.streams * level.tokens * level.rounds;
  console.log(
    `\n${level.streams} stream${level.streams > 1 ? "s" : ""} of ${level.tokens} tokens, one every ${level.paceMs} ms, from ${upstream}`,
  );
  console.table([row("direct", direct), row("console", through)]);
  console.log(
    `added at the median: ${(first(through) - first(direct)).toFixed(1)} ms · console's memory: ` +
      `${usage.idleMb.toFixed(0)} MB before, ${usage.peakMb.toFixed(0)} MB at most · processor time: ` +
      `${((usage.cpuSeconds / tokens) * 1e6).toFixed(0)} µs per token`,
  );
}

/** Median time of a small commit on the data folder's disk (ms). */
function commitTime(folder: string): number {
  const connection = openConnection(join(folder, "bench.sqlite"));
  connection.exec("CREATE TABLE t (n INTEGER)");
  const times = Array.from({ length: 50 }, (_, n) => {
    const started = performance.now();
    connection.exec(`INSERT INTO t VALUES (${n})`);
    return performance.now() - started;
  });
  connection.close();
  return quantile(times, 0.5);
}

const requested = process.argv.slice(2).map(Number).filter(Boolean);
const levels = LEVELS.filter(({ streams }) => requested.length === 0 || requested.includes(streams));
const ownOnly = process.argv.includes("--own");

console.log(
  `Upstream, console and reader share this machine: ${cpus().length} processors, ${loadavg()[0]?.toFixed(1)} busy before.`,
);
for (const level of levels) {
  const server = await startServer();
  const token = await server.createToken("owner");
  console.log(`\nA commit on this disk takes ${commitTime(server.dataDir).toFixed(2)} ms.`);
  const upstream = ownOnly ? await startOwn() : await startAimock();
  try {
    const measured = await measure(level, server, token, upstream);
    report(measured);
    if (ownOnly || pace(measured.direct) >= (1000 / level.paceMs) * MIN_RATE_SHARE) continue;
    console.log(
      "aimock can't keep its pace at this level, also when asked directly; so once more with our own:",
    );
    const own = await startOwn();
    report(await measure(level, server, token, own).finally(own.stop));
  } finally {
    upstream.stop();
    await server.close();
  }
}
process.exit(0);
