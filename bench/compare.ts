/**
 * Processor time and time to first token of several builds, alternating in one run. `npm run bench:compare
 * -- ../before . [gateway-frames chat-begin …]`: folders of built consoles. Needs Linux.
 */
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { startServer, type TestServer } from "../tests/support/server";
import { chatCall, type Level, level, openAiCall, type Request, readText, runFrames } from "./load";
import { median, UsageMonitor } from "./measure";
import { addProvider, startUpstream, type Upstream } from "./upstream";

const ROUNDS = 5;
/** Time for work after the response, such as usage records (ms). */
const SETTLE_TIME = 150;

const MODEL = "bench";

/** A console under load. */
interface Side {
  name: string;
  server: TestServer;
  token: string;
}

interface Measured {
  /** Tokens or calls. */
  units: number;
  firstTokensMs: number[];
}

async function startSide(folder: string, upstream: Upstream): Promise<Side> {
  const here = process.cwd();
  process.chdir(folder);
  const server = await startServer().finally(() => process.chdir(here));
  await addProvider(server, upstream, MODEL);
  return { name: basename(folder), server, token: await server.createToken("owner") };
}

const gateway = ({ server, token }: Side, load?: Level) =>
  openAiCall(server.baseUrl, { authorization: `Bearer ${token}` }, MODEL, load);
const chat = ({ server, token }: Side, load: Level) => chatCall(server.baseUrl, token, MODEL, load);

/** Reads a load's streams a number of times. */
const streams =
  (requestOf: (side: Side, load: Level) => Request, load: Level, times = 1) =>
  async (side: Side): Promise<Measured> => {
    const firstTokensMs: number[] = [];
    for (let count = 0; count < times; count++) {
      const timings = await runFrames(requestOf(side, load), load);
      const bad = timings.find(({ lost, failure }) => lost > 0 || failure);
      if (bad) throw new Error(`${side.name} lost ${bad.lost} frames: ${bad.failure ?? "out of order"}`);
      firstTokensMs.push(...timings.map(({ firstTokenMs }) => firstTokenMs ?? Number.NaN));
    }
    return { units: times * load.streams * load.tokens, firstTokensMs };
  };

async function wholeAnswers(side: Side): Promise<Measured> {
  const request = gateway(side);
  const firstTokensMs: number[] = [];
  const call = async () => {
    for (let count = 0; count < 40; count++) {
      const begun = performance.now();
      await readText(request);
      firstTokensMs.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: 32 }, call));
  return { units: firstTokensMs.length, firstTokensMs };
}

/** Kinds of load by name. */
const WORK: Record<string, (side: Side) => Promise<Measured>> = {
  "gateway-frames": streams(gateway, level(20, 150, 20, 100)),
  "gateway-frames-200": streams(gateway, level(200, 150, 20, 500)),
  "gateway-begin": streams(gateway, level(1, 1, 2), 150),
  "gateway-begin-50": streams(gateway, level(50, 1, 2), 6),
  "gateway-whole": wholeAnswers,
  "chat-begin": streams(chat, level(1, 1, 2), 100),
  "chat-begin-50": streams(chat, level(50, 1, 2), 4),
  "chat-tokens": streams(chat, level(100, 100, 50, 1000)),
  "chat-tokens-500": streams(chat, level(500, 60, 100, 2000)),
};

async function measure(sides: readonly Side[], work: (typeof WORK)[string]) {
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
const upstream = await startUpstream();
const sides: Side[] = [];
for (const folder of folders.length > 0 ? folders : ["."])
  sides.push(await startSide(resolve(folder), upstream));
for (const [name, work] of Object.entries(WORK)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n${name}`);
  await measure(sides, work);
}
for (const { server } of sides) await server.close();
upstream.stop();
process.exit(0);
