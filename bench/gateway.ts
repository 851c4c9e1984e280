/**
 * Overhead of the gateway: time to first token, lost frames, frame gaps, requests per second, memory. `npm
 * run bench:gateway [-- 1 50 200 500] [-- --translated]`: levels (0 for requests only), and Anthropic's
 * protocol. Needs a build and Linux.
 */
import { cpus, loadavg } from "node:os";
import { startServer, type TestServer } from "../tests/support/server";
import { type FrameTiming, type Request, runFrames, runRequests } from "./frame-load";
import type { LoopTiming } from "./load";
import { type Usage, UsageMonitor } from "./process-usage";
import { ms, quantile } from "./statistics";
import { addProvider, startOwn, type Upstream } from "./upstream";
import { GATEWAY_LEVELS, type Level, question, WARM_UP } from "./workload";

const MODEL = "bench-gateway";
const CALLERS = 64;
const SECONDS = 10;

interface Endpoint {
  name: string;
  isThrough: boolean;
  request(content: string, stream: boolean): Request;
}

const endpoint = (name: string, origin: string, token?: string, path = "/v1/chat/completions"): Endpoint => ({
  name,
  isThrough: token !== undefined,
  request: (content, stream) => ({
    url: new URL(path, origin),
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      model: MODEL,
      max_tokens: 1000,
      ...(stream ? { stream: true } : {}),
      messages: [{ role: "user", content }],
    }),
  }),
});

async function setUp(server: TestServer, upstream: Upstream): Promise<Endpoint[]> {
  const token = await server.createToken("owner");
  await addProvider(server, upstream, MODEL);
  const endpoints = [endpoint("direct", upstream.origin), endpoint("gateway", server.baseUrl, token)];
  if (process.argv.includes("--translated")) {
    endpoints.push(endpoint("translated", server.baseUrl, token, "/v1/messages"));
  }
  return endpoints;
}

const firstTokens = (timings: readonly FrameTiming[]) =>
  timings.flatMap(({ firstTokenMs }) => (firstTokenMs === undefined ? [] : [firstTokenMs]));

/** Processor time and memory of the console during `work`. */
function describeUsage({ idleMb, peakMb, cpuSeconds }: Usage, units: number, name: string): string {
  return (
    `console's memory: ${idleMb.toFixed(0)} MB before, ${peakMb.toFixed(0)} MB at most · processor time: ` +
    `${((cpuSeconds / units) * 1e6).toFixed(0)} µs per ${name}`
  );
}

async function measureStreams(
  level: Level,
  server: TestServer,
  endpoints: readonly Endpoint[],
): Promise<void> {
  const requestOf = (one: Endpoint, of: Level) => one.request(`${question(of)} numbered`, true);
  // Compiles the hot paths first.
  for (let round = 0; round < WARM_UP.rounds; round++) {
    for (const one of endpoints) await runFrames(requestOf(one, WARM_UP), WARM_UP);
  }
  const timings = new Map<Endpoint, FrameTiming[]>(endpoints.map((one) => [one, []]));
  const watches = new Map(endpoints.map((one) => [one, new UsageMonitor(server.pid)]));
  for (let round = 0; round < level.rounds; round++) {
    for (const one of endpoints) {
      const done = await watches.get(one)?.during(() => runFrames(requestOf(one, level), level));
      timings.get(one)?.push(...(done ?? []));
    }
  }
  reportStreams(level, timings, watches);
}

function reportStreams(
  level: Level,
  timings: ReadonlyMap<Endpoint, FrameTiming[]>,
  watches: ReadonlyMap<Endpoint, UsageMonitor>,
): void {
  const { streams, tokens, paceMs, rounds } = level;
  console.log(
    `\n${streams} stream${streams > 1 ? "s" : ""} of ${tokens} frames, one every ${paceMs} ms, ${rounds} times`,
  );
  const rows = [...timings].map(([{ name }, all]) => {
    const gaps = all.flatMap(({ gapsMs }) => gapsMs);
    const lost = all.reduce((sum, one) => sum + one.lost, 0);
    return {
      "": name,
      "first token p50": ms(quantile(firstTokens(all), 0.5)),
      "first token p95": ms(quantile(firstTokens(all), 0.95)),
      "gap p50": ms(quantile(gaps, 0.5)),
      "gap p99": ms(quantile(gaps, 0.99)),
      "frames lost": `${lost} of ${all.length * tokens}`,
    };
  });
  console.table(rows);
  const [direct = []] = timings.values();
  for (const [one, all] of timings) {
    const failures = all.flatMap(({ failure }) => failure ?? []);
    if (failures.length > 0) console.log(`${one.name}: ${failures.length} broke off, such as ${failures[0]}`);
    const usage = watches.get(one)?.usage;
    if (!one.isThrough || !usage) continue;
    const added = (q: number) => ms(quantile(firstTokens(all), q) - quantile(firstTokens(direct), q));
    console.log(
      `${one.name}: first token ${added(0.5)} later at the median, ${added(0.95)} at p95 · ` +
        describeUsage(usage, all.length * tokens, "frame"),
    );
  }
}

async function measureRequests(server: TestServer, endpoints: readonly Endpoint[]): Promise<void> {
  console.log(`\n${CALLERS} callers without streaming, ${SECONDS} s each way`);
  const results: [Endpoint, LoopTiming, Usage][] = [];
  for (const one of endpoints) await runRequests(one.request("Hello", false), CALLERS, 2);
  for (const one of endpoints) {
    const watch = new UsageMonitor(server.pid);
    const loop = await watch.during(() => runRequests(one.request("Hello", false), CALLERS, SECONDS));
    results.push([one, loop, watch.usage]);
  }
  console.table(
    results.map(([{ name }, { perSecond, timesMs, failed }]) => ({
      "": name,
      "requests/s": perSecond.toFixed(0),
      p50: ms(quantile(timesMs, 0.5)),
      p95: ms(quantile(timesMs, 0.95)),
      failed,
    })),
  );
  for (const [one, { timesMs }, usage] of results) {
    if (one.isThrough) console.log(`${one.name}: ${describeUsage(usage, timesMs.length, "request")}`);
  }
}

async function withServer(work: (server: TestServer, endpoints: Endpoint[]) => Promise<void>): Promise<void> {
  const server = await startServer();
  const upstream = await startOwn();
  try {
    await work(server, await setUp(server, upstream));
  } finally {
    upstream.stop();
    await server.close();
  }
}

const levels = process.argv
  .slice(2)
  .filter((word) => /^\d+$/.test(word))
  .map(Number);
const isRequested = (streams: number) => levels.length === 0 || levels.includes(streams);

console.log(
  `Upstream, console and reader share this machine: ${cpus().length} processors, ${loadavg()[0]?.toFixed(1)} busy before.`,
);
for (const level of GATEWAY_LEVELS) {
  if (isRequested(level.streams))
    await withServer((server, endpoints) => measureStreams(level, server, endpoints));
}
if (isRequested(0)) await withServer(measureRequests);
process.exit(0);
