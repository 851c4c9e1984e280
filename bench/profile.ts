/**
 * Where the main thread's time goes under a kind of load of `bench:compare`, in percent of its busy time. `npm run
 * bench:profile [-- chat-begin …]` after `SOURCE_MAPS=1 npm run build`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Side, startSide, WORK } from "./side-work";
import { startUpstream } from "./upstream";

/** The functions that take the most time of their own. */
const SHOWN = 12;

interface Frame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
}

interface Profile {
  nodes: { id: number; callFrame: Frame }[];
  samples: number[];
  timeDeltas: number[];
}

/** By the file, or by the name of a function without one; the first that matches. */
const KINDS: readonly [name: string, matches: RegExp][] = [
  ["garbage", /^\(garbage collector\)$/],
  ["writes in the kernel", /^(?:writev|write\w*String|writeBuffer|shutdown)$/],
  ["SQLite", /better-sqlite3|drizzle-orm|^(?:exec|run|get|all|iterate|prepare|fdatasync)$/],
  ["AI SDK, web streams", /node_modules\/(?:@ai-sdk|ai|eventsource-parser)\/|^node:internal\/webstreams/],
  ["undici", /node_modules\/undici|internal\/deps\/undici/],
  ["zod", /node_modules\/zod/],
  ["own code", /\/remix\/assets\//],
  ["Node", /^node:/],
  ["other packages", /\//],
];

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) {
    const map = `${file}.map`;
    maps.set(file, existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, "utf8"))) : undefined);
  }
  return maps.get(file);
}

function sourceOf({ url, lineNumber, columnNumber }: Frame): string {
  if (!url.startsWith("file:")) return url;
  const entry = mapOf(fileURLToPath(url))?.findEntry(lineNumber, columnNumber);
  return entry && "originalSource" in entry ? entry.originalSource : url;
}

function kindOf(frame: Frame): string {
  const place = frame.url === "" ? frame.functionName : sourceOf(frame);
  return KINDS.find(([, matches]) => matches.test(place))?.[0] ?? "native code of V8 and Node";
}

function report({ nodes, samples, timeDeltas }: Profile): void {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byKind = new Map<string, number>();
  const byFunction = new Map<string, number>();
  let busy = 0;
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id);
    const time = timeDeltas[at] ?? 0;
    if (!frame || /^\((?:idle|program|root)\)$/.test(frame.functionName)) continue;
    // The profiler's own begin.
    if (frame.url === "" && frame.functionName === "dispatch") continue;
    busy += time;
    const kind = kindOf(frame);
    const name = `${frame.functionName || "anonymous"} (${kind})`;
    byKind.set(kind, (byKind.get(kind) ?? 0) + time);
    byFunction.set(name, (byFunction.get(name) ?? 0) + time);
  }
  const shares = (of: ReadonlyMap<string, number>) =>
    [...of]
      .sort(([, one], [, other]) => other - one)
      .map(([name, time]) => [name, (100 * time) / busy] as const);
  console.log(`${(busy / 1e6).toFixed(2)} s busy`);
  console.table(Object.fromEntries(shares(byKind).map(([name, share]) => [name, `${share.toFixed(0)} %`])));
  for (const [name, share] of shares(byFunction).slice(0, SHOWN))
    console.log(`${share.toFixed(1)} % ${name}`);
}

async function toggle({ server }: Side, answer: string): Promise<void> {
  const before = server.output.split(answer).length;
  process.kill(server.pid, "SIGUSR2");
  while (server.output.split(answer).length === before) await pause(20);
}

const names = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "quarterdeck-profile-"));
const file = join(folder, "profile.json");
const upstream = await startUpstream();
const side = await startSide(resolve("."), upstream, {
  NODE_OPTIONS: `--import ${pathToFileURL(resolve("bench/profiler.mjs"))}`,
  PROFILE_FILE: file,
});
for (const [name, work] of Object.entries(WORK)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n${name}`);
  // Compiles the hot paths first.
  for (let round = 0; round < 2; round++) await work(side);
  await toggle(side, "@profiling");
  for (let round = 0; round < 3; round++) await work(side);
  await toggle(side, "@profiled");
  report(JSON.parse(readFileSync(file, "utf8")) as Profile);
}
await side.server.close();
upstream.stop();
rmSync(folder, { recursive: true });
process.exit(0);
