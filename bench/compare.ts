/**
 * Processor time and time to first token of several builds, alternating in one run. `npm run bench:compare
 * -- ../before . [gateway-frames chat-begin …]`: folders of built consoles. Needs Linux.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { median, UsageMonitor } from "./measure";
import { type Side, startSide, WORK } from "./side-work";
import { startUpstream } from "./upstream";

const ROUNDS = 5;
/** Time for work after the response, such as usage records (ms). */
const SETTLE_TIME = 150;

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
