/**
 * Processor time and time to first token of several builds, alternating in one run. `npm run bench:compare
 * -- ../before . [gateway-frames chat-begin …]`: folders of built consoles. Needs Linux.
 */
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { startServer, type TestServer } from "../tests/support/server";
import { type Request, runFrames } from "./frame-load";
import { agent, consoleText, runRound, type Target } from "./load";
import { UsageMonitor } from "./process-usage";
import { median } from "./statistics";
import { addProvider, startOwn, type Upstream } from "./upstream";
import { type Level, question } from "./workload";

const MODEL = "bench";
const ROUNDS = 5;
/** Time for work after the response, such as usage records (ms). */
const SETTLE_TIME = 150;

interface Side {
  name: string;
  server: TestServer;
  token: string;
}

/** Times in ms. */
interface Measured {
  units: number;
  firstTokensMs: number[];
}

async function start(folder: string, upstream: Upstream): Promise<Side> {
  const here = process.cwd();
  process.chdir(folder);
  const server = await startServer().finally(() => process.chdir(here));
  await addProvider(server, upstream, MODEL);
  return { name: basename(folder), server, token: await server.createToken("owner") };
}

const headersOf = ({ token }: Side) => ({
  "content-type": "application/json",
  authorization: `Bearer ${token}`,
});

const gateway = (side: Side, content: string, stream: boolean): Request => ({
  url: new URL("/v1/chat/completions", side.server.baseUrl),
  headers: headersOf(side),
  body: JSON.stringify({ model: MODEL, stream, messages: [{ role: "user", content }] }),
});

const chat = (side: Side): Target => ({
  url: new URL("/api/ai/chat", side.server.baseUrl),
  headers: headersOf(side),
  body: (level) => JSON.stringify({ model: MODEL, messages: [{ role: "user", content: question(level) }] }),
  textOf: consoleText,
});

const level = (streams: number, tokens: number, paceMs: number, rampMs = 0): Level => ({
  streams,
  tokens,
  paceMs,
  rampMs,
  rounds: 1,
});

async function gatewayStreams(side: Side, load: Level): Promise<Measured> {
  const timings = await runFrames(gateway(side, `${question(load)} numbered`, true), load);
  const bad = timings.find(({ lost, failure }) => lost > 0 || failure);
  if (bad) throw new Error(`${side.name} lost ${bad.lost} frames: ${bad.failure ?? "out of order"}`);
  const firstTokensMs = timings.map(({ firstTokenMs }) => firstTokenMs ?? Number.NaN);
  return { units: load.streams * load.tokens, firstTokensMs };
}

async function chatStreams(side: Side, load: Level): Promise<Measured> {
  const timings = await runRound(chat(side), load);
  return {
    units: load.streams * load.tokens,
    firstTokensMs: timings.map(({ firstTokenMs }) => firstTokenMs),
  };
}

async function repeat(times: number, work: () => Promise<Measured>): Promise<Measured> {
  const all: Measured = { units: 0, firstTokensMs: [] };
  for (let count = 0; count < times; count++) {
    const { units, firstTokensMs } = await work();
    all.units += units;
    all.firstTokensMs.push(...firstTokensMs);
  }
  return all;
}

async function wholeAnswers(side: Side): Promise<Measured> {
  const { url, headers, body } = gateway(side, "Hello", false);
  const firstTokensMs: number[] = [];
  const call = async () => {
    for (let count = 0; count < 40; count++) {
      const begun = performance.now();
      const options = { origin: url.origin, path: url.pathname, method: "POST" as const, headers, body };
      await (await agent.request(options)).body.text();
      firstTokensMs.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: 32 }, call));
  return { units: firstTokensMs.length, firstTokensMs };
}

const WORK: Record<string, (side: Side) => Promise<Measured>> = {
  "gateway-frames": (side) => gatewayStreams(side, level(20, 150, 20, 100)),
  "gateway-frames-200": (side) => gatewayStreams(side, level(200, 150, 20, 500)),
  "gateway-begin": (side) => repeat(150, () => gatewayStreams(side, level(1, 1, 2))),
  "gateway-begin-50": (side) => repeat(6, () => gatewayStreams(side, level(50, 1, 2))),
  "gateway-whole": wholeAnswers,
  "chat-begin": (side) => repeat(100, () => chatStreams(side, level(1, 1, 2))),
  "chat-begin-50": (side) => repeat(4, () => chatStreams(side, level(50, 1, 2))),
  "chat-tokens": (side) => chatStreams(side, level(100, 100, 50, 1000)),
  "chat-tokens-500": (side) => chatStreams(side, level(500, 60, 100, 2000)),
};

async function measure(sides: readonly Side[], work: (side: Side) => Promise<Measured>) {
  const costs = new Map(sides.map((side) => [side, [] as number[]]));
  const firstTokens = new Map(sides.map((side) => [side, [] as number[]]));
  const peaks = new Map(sides.map((side) => [side, 0]));
  for (const side of sides) await work(side);
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of round % 2 ? sides.toReversed() : sides) {
      const watch = new UsageMonitor(side.server.pid);
      const { units, firstTokensMs } = await watch.during(async () => {
        const done = await work(side);
        await new Promise((resume) => setTimeout(resume, SETTLE_TIME));
        return done;
      });
      costs.get(side)?.push((watch.usage.cpuSeconds / units) * 1e6);
      firstTokens.get(side)?.push(...firstTokensMs);
      peaks.set(side, Math.max(peaks.get(side) ?? 0, watch.usage.peakMb));
    }
  }
  console.table(
    sides.map((side) => ({
      "": side.name,
      "processor time each": `${median(costs.get(side) ?? []).toFixed(0)} µs`,
      "first token p50": `${median(firstTokens.get(side) ?? []).toFixed(1)} ms`,
      "memory at most": `${peaks.get(side)?.toFixed(0)} MB`,
    })),
  );
}

const args = process.argv.slice(2);
const isBuilt = (word: string) => existsSync(join(word, "build/server.mjs"));
const folders = args.filter(isBuilt);
const names = args.filter((word) => !isBuilt(word));
const upstream = await startOwn();
const sides: Side[] = [];
for (const folder of folders.length > 0 ? folders : ["."]) sides.push(await start(resolve(folder), upstream));
for (const [name, work] of Object.entries(WORK)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n${name}`);
  await measure(sides, work);
}
for (const { server } of sides) await server.close();
upstream.stop();
process.exit(0);
