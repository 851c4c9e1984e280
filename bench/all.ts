/** The figures of docs/performance.md as one table. `npm run bench:all [-- start gateway chat workflows rag]` */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { startServer, type TestServer } from "../tests/support/server";
import {
  chatCall,
  type FrameTiming,
  type Level,
  level,
  openAiCall,
  type Request,
  readText,
  runFrames,
  runLoop,
  runStreams,
} from "./load";
import { ms, quantile, UsageMonitor } from "./measure";
import { measureSearch } from "./rag-search";
import { addProvider, startUpstream, type Upstream } from "./upstream";
import { measureWorkflows } from "./workflows";

const MODEL = "bench-all";
const PAGE_PATH = "docs/performance.md";
const [BEGIN, END] = ["<!-- bench:all begin -->", "<!-- bench:all end -->"];

interface Row {
  name: string;
  direct?: string;
  ours: string;
  peer?: string;
  ratio?: string;
  aim?: string;
}

const rows: Row[] = [];
const peer = process.argv.includes("--portkey")
  ? process.argv[process.argv.indexOf("--portkey") + 1]
  : undefined;
const times = (value: number) => `${value.toFixed(2)} x`;

const WARM_UP = level(20, 25);

type Endpoint = "direct" | "ours" | "peer";
/** A call of each, by its load; without one, of an answer that doesn't stream. */
type Endpoints = Partial<Record<Endpoint, (load?: Level) => Request>>;
type Figures = Partial<Record<Endpoint, number>> & Record<"direct" | "ours", number>;

/** Reads streams of each endpoint in turns. @returns their figures, and the console's usage */
async function takeTurns(server: TestServer, endpoints: Endpoints, load: Level, rounds: number) {
  const found: Record<Endpoint, FrameTiming[]> = { direct: [], ours: [], peer: [] };
  const watch = new UsageMonitor(server.pid);
  const each = Object.entries(endpoints) as [Endpoint, (load: Level) => Request][];
  // Compiles the hot paths first.
  for (const [, call] of each)
    for (let round = 0; round < 3; round++) await runFrames(call(WARM_UP), WARM_UP);
  for (let round = 0; round < rounds; round++) {
    for (const [endpoint, call] of each) {
      const run = () => runFrames(call(load), load);
      found[endpoint].push(...(endpoint === "ours" ? await watch.during(run) : await run()));
    }
  }
  for (const [endpoint, timings] of Object.entries(found)) {
    const bad = timings.find(({ lost, failure }) => lost > 0 || failure);
    if (bad)
      throw new Error(`${endpoint}: ${bad.failure ?? `${bad.lost} frames are missing or out of order`}`);
  }
  const of = (read: (timing: FrameTiming) => readonly number[], q: number): Figures => ({
    direct: quantile(found.direct.flatMap(read), q),
    ours: quantile(found.ours.flatMap(read), q),
    ...(endpoints.peer ? { peer: quantile(found.peer.flatMap(read), q) } : {}),
  });
  return {
    first: of(({ firstTokenMs }) => (firstTokenMs === undefined ? [] : [firstTokenMs]), 0.5),
    gap: of(({ gapsMs }) => gapsMs, 0.99),
    usage: watch.usage,
  };
}

const shown = (figures: Figures, text: (value: number) => string) => ({
  direct: text(figures.direct),
  ours: text(figures.ours),
  ...(figures.peer === undefined ? {} : { peer: text(figures.peer) }),
});

function addFirstToken(name: string, first: Figures): void {
  rows.push({ name, ...shown(first, ms), ratio: `+${ms(first.ours - first.direct)}` });
}

/** A row of calls or streams a second. */
function addRate(name: string, perSecond: Figures, aim: string): void {
  const { direct, ours, peer: theirs } = perSecond;
  rows.push({
    name,
    ...shown(perSecond, (value) => value.toFixed(0)),
    ratio: theirs === undefined ? times(ours / direct) : `${times(ours / theirs)} Portkey's`,
    aim,
  });
}

async function measureGateway(server: TestServer, token: string, upstream: Upstream): Promise<void> {
  const portkey = {
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${upstream.origin}/v1`,
  };
  const endpoints: Endpoints = {
    direct: (load) => openAiCall(upstream.origin, {}, MODEL, load),
    ours: (load) => openAiCall(server.baseUrl, { authorization: `Bearer ${token}` }, MODEL, load),
    ...(peer === undefined ? {} : { peer: (load) => openAiCall(peer, portkey, MODEL, load) }),
  };
  for (const [streams, tokens, rounds] of [
    [1, 25, 30],
    [50, 60, 4],
    [200, 120, 3],
  ] as const) {
    const { first, gap, usage } = await takeTurns(server, endpoints, level(streams, tokens), rounds);
    addFirstToken(`Gateway, first token p50, ${streams} begun at once`, first);
    if (streams !== 200) continue;
    const ratio = times(gap.ours / gap.direct);
    rows.push({ name: "Gateway, gap p99, 200 streams", ...shown(gap, ms), ratio });
    rows.push({
      name: "Gateway, processor time of a frame, 200 streams",
      ours: `${((usage.cpuSeconds / (streams * tokens * rounds)) * 1e6).toFixed(0)} µs`,
    });
  }
  const short = level(200, 64);
  const streamRates: Figures = { direct: 0, ours: 0 };
  const callRates: Figures = { direct: 0, ours: 0 };
  for (const [endpoint, call] of Object.entries(endpoints) as [Endpoint, (load?: Level) => Request][]) {
    const { perSecond, failed } = await runStreams(call(short), short, 8);
    if (failed > 0) throw new Error(`${failed} streams weren't complete (${endpoint}).`);
    streamRates[endpoint] = perSecond;
    const isWhole = async () => (await readText(call()))?.includes('"usage"') === true;
    // Both are compiled only after some seconds.
    await runLoop(isWhole, 64, 6);
    callRates[endpoint] = (await runLoop(isWhole, 64, 4)).perSecond;
  }
  addRate("Gateway, streams of 64 tokens a second, 200 callers", streamRates, "0.9 x Portkey's");
  addRate("Gateway, calls a second without streaming, 64 callers", callRates, "1.5 x Portkey's");
}

async function measureChat(server: TestServer, token: string, upstream: Upstream): Promise<void> {
  const endpoints: Endpoints = {
    direct: (load) => openAiCall(upstream.origin, {}, MODEL, load),
    ours: (load) => chatCall(server.baseUrl, token, MODEL, load),
  };
  for (const [streams, tokens, rounds] of [
    [1, 25, 30],
    [50, 60, 4],
  ] as const) {
    const { first } = await takeTurns(server, endpoints, level(streams, tokens), rounds);
    addFirstToken(`Chat, first token p50, ${streams} begun at once`, first);
  }
  const { usage } = await takeTurns(server, endpoints, level(500, 60, 100, 2000), 1);
  rows.push({ name: "Chat, memory at most, 500 streams", ours: `${usage.peakMb.toFixed(0)} MB` });
}

/** A server in the container's environment that has just started. */
async function measureStart(): Promise<void> {
  const server = await startServer({ env: { MALLOC_ARENA_MAX: "2" } });
  await pause(2500);
  const { idleMb, cpuSeconds } = UsageMonitor.total(server.pid);
  rows.push({ name: "Start, processor time", ours: `${cpuSeconds.toFixed(2)} s`, aim: "1.5 s" });
  rows.push({ name: "Memory at rest", ours: `${idleMb.toFixed(0)} MB`, aim: "200 MB" });
  const watch = new UsageMonitor(server.pid);
  await watch.during(() => pause(3000));
  const idle = (watch.usage.cpuSeconds * 1000).toFixed(0);
  rows.push({ name: "Processor time in 3 s at rest", ours: `${idle} ms` });
  await server.close();
}

async function withServer(
  work: (server: TestServer, token: string, upstream: Upstream) => Promise<void>,
): Promise<void> {
  const server = await startServer();
  const upstream = await startUpstream();
  try {
    await addProvider(server, upstream, MODEL);
    const json = { performance: { rateLimitEnabled: false } };
    const saved = await server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json });
    if (!saved.ok) throw new Error(`Not saved: ${await saved.text()}`);
    await work(server, await server.createToken("owner"), upstream);
  } finally {
    upstream.stop();
    await server.close();
  }
}

async function measureRag(): Promise<void> {
  for (const [figure, value] of Object.entries(await measureSearch()))
    rows.push({
      name: `Search, 100,000 x 384, ${figure}`,
      ours: value,
      ...(figure === "p95" ? { aim: "30 ms" } : {}),
    });
}

/** Runs a second at least, by callers. */
const RUNS_AIM = new Map([
  [1, 354],
  [10, 798],
  [50, 834],
]);

async function measureRuns(): Promise<void> {
  const { perSecond, peakMb, recovery } = await measureWorkflows();
  for (const [callers, found] of perSecond)
    rows.push({
      name: `Workflows, three-step runs a second, ${callers} at once`,
      ours: found.toFixed(0),
      aim: String(RUNS_AIM.get(callers)),
    });
  rows.push({ name: "Workflows, memory at most", ours: `${peakMb.toFixed(0)} MB`, aim: "500 MB" });
  rows.push({ name: "Workflows, 10,000 queued runs after a kill", ours: `${recovery.toFixed(1)} s` });
}

function toMarkdown(load: string): string {
  const cells = rows.map(({ name, direct = "", ours, peer: theirs = "", ratio = "", aim = "" }) =>
    [name, direct, ours, ...(peer ? [theirs] : []), ratio, aim].join(" | "),
  );
  const titles = ["", "direct", "ours", ...(peer ? ["Portkey"] : []), "ratio or added", "aim"];
  const line = (text: string) => `| ${text} |`;
  return [
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} processors, Node ${process.versions.node}, load before and after: ${load}.`,
    "",
    line(titles.join(" | ")),
    `|${titles.map(() => "---").join("|")}|`,
    ...cells.map(line),
  ].join("\n");
}

function writePage(table: string): void {
  const page = readFileSync(PAGE_PATH, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE_PATH} has no place for the table.`);
  writeFileSync(PAGE_PATH, `${page.slice(0, begin + BEGIN.length)}\n${table}\n${page.slice(end)}`);
}

const PARTS: Record<string, () => Promise<void>> = {
  start: measureStart,
  gateway: () => withServer(measureGateway),
  chat: () => withServer(measureChat),
  workflows: measureRuns,
  rag: measureRag,
};

const busyBefore = loadavg()[0]?.toFixed(1);
const parts = process.argv.slice(2).filter((word) => word in PARTS);
for (const [name, part] of Object.entries(PARTS)) {
  if (parts.length > 0 && !parts.includes(name)) continue;
  await part();
  console.table(rows);
}
const table = toMarkdown(`${busyBefore} and ${loadavg()[0]?.toFixed(1)}`);
console.log(table);
if (process.argv.includes("--write")) writePage(table);
process.exit(0);
