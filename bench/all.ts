/**
 * The figures with a target as one table: upstream, console, ratio and target. `npm run bench:all [--
 * gateway chat rag start jobs workflows]`
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { startServer, type TestServer } from "../tests/support/server";
import { type FrameTiming, type Request, runFrames, runRequests, runStreams } from "./frame-load";
import { consoleText, openAiText, runRound, type StreamTiming, type Target } from "./load";
import { UsageMonitor } from "./process-usage";
import { withDatabase } from "./rag-database";
import { measureIngestion } from "./rag-ingestion";
import { measureSearch } from "./rag-search";
import { ms, quantile } from "./statistics";
import { addProvider, startOwn, type Upstream } from "./upstream";
import { measureWorkflows } from "./workflows";
import { type Level, question } from "./workload";

const MODEL = "bench-all";
const PAGE_PATH = "docs/performance.md";
const [BEGIN, END] = ["<!-- bench:all begin -->", "<!-- bench:all end -->"];
const DOCUMENTS = 400;

interface Row {
  name: string;
  direct?: string;
  ours: string;
  peer?: string;
  ratio?: string;
  aim: string;
}

const rows: Row[] = [];
const peer = process.argv[process.argv.indexOf("--portkey") + 1];
const hasPeer = process.argv.includes("--portkey") && peer !== undefined;
const times = (value: number) => `${value.toFixed(2)} x`;
const level = (streams: number, tokens: number, rounds: number, paceMs = 20, rampMs = 0): Level => ({
  streams,
  tokens,
  paceMs,
  rounds,
  rampMs,
});
const firstTokens = (all: readonly FrameTiming[]) =>
  all.flatMap(({ firstTokenMs }) => (firstTokenMs === undefined ? [] : [firstTokenMs]));

type Endpoint = "direct" | "ours" | "peer";

function requestTo(
  origin: string,
  headers: Record<string, string>,
  content: string,
  stream: boolean,
): Request {
  const body = { model: MODEL, stream, messages: [{ role: "user", content }] };
  return {
    url: new URL("/v1/chat/completions", origin),
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

async function measureGateway(server: TestServer, token: string, upstream: Upstream): Promise<void> {
  const endpoints: Record<Endpoint, (content: string, stream: boolean) => Request> = {
    direct: (content, stream) => requestTo(upstream.origin, {}, content, stream),
    ours: (content, stream) =>
      requestTo(server.baseUrl, { authorization: `Bearer ${token}` }, content, stream),
    peer: (content, stream) =>
      requestTo(
        peer ?? "",
        {
          authorization: "Bearer none",
          "x-portkey-provider": "openai",
          "x-portkey-custom-host": `${upstream.origin}/v1`,
        },
        content,
        stream,
      ),
  };
  const names: Endpoint[] = hasPeer ? ["direct", "ours", "peer"] : ["direct", "ours"];
  for (const load of [level(1, 25, 30), level(50, 60, 4), level(200, 120, 3)]) {
    const found: Record<Endpoint, FrameTiming[]> = { direct: [], ours: [], peer: [] };
    const watch = new UsageMonitor(server.pid);
    const request = (endpoint: Endpoint) => endpoints[endpoint](`${question(load)} numbered`, true);
    for (const endpoint of names)
      for (let round = 0; round < 3; round++) await runFrames(request(endpoint), level(20, 25, 1));
    for (let round = 0; round < load.rounds; round++) {
      for (const endpoint of names) {
        const run = () => runFrames(request(endpoint), load);
        found[endpoint].push(...(endpoint === "ours" ? await watch.during(run) : await run()));
      }
    }
    const first = (endpoint: Endpoint) => quantile(firstTokens(found[endpoint]), 0.5);
    const gap = (endpoint: Endpoint) =>
      quantile(
        found[endpoint].flatMap(({ gapsMs }) => gapsMs),
        0.99,
      );
    const shown = (value: (endpoint: Endpoint) => number) => ({
      direct: ms(value("direct")),
      ours: ms(value("ours")),
      ...(hasPeer ? { peer: ms(value("peer")) } : {}),
    });
    const lost = found.ours.reduce((sum, one) => sum + one.lost, 0);
    if (lost > 0) throw new Error(`The gateway lost ${lost} frames.`);
    rows.push({
      name: `Gateway, first token p50, ${load.streams} begun at once`,
      ...shown(first),
      ratio: `+${ms(first("ours") - first("direct"))}`,
      aim: "",
    });
    if (load.streams !== 200) continue;
    rows.push({
      name: "Gateway, gap p99, 200 streams",
      ...shown(gap),
      ratio: times(gap("ours") / gap("direct")),
      aim: "",
    });
    const frames = found.ours.length * load.tokens;
    rows.push({
      name: "Gateway, processor time of a frame, 200 streams",
      ours: `${((watch.usage.cpuSeconds / frames) * 1e6).toFixed(0)} µs`,
      aim: "",
    });
  }
  const short = level(200, 64, 1);
  const streams: Record<Endpoint, number> = { direct: 0, ours: 0, peer: 0 };
  for (const endpoint of names) {
    const request = endpoints[endpoint](`${question(short)} numbered`, true);
    const { perSecond, failed } = await runStreams(request, short, 8);
    if (failed > 0) throw new Error(`${failed} streams weren't complete (${endpoint}).`);
    streams[endpoint] = perSecond;
  }
  rows.push({
    name: "Gateway, streams of 64 tokens a second, 200 callers",
    direct: streams.direct.toFixed(0),
    ours: streams.ours.toFixed(0),
    ...(hasPeer ? { peer: streams.peer.toFixed(0) } : {}),
    ratio: hasPeer ? `${times(streams.ours / streams.peer)} Portkey's` : times(streams.ours / streams.direct),
    aim: "0.9 x Portkey's",
  });
  const perSecond: Partial<Record<Endpoint, number>> = {};
  for (const endpoint of names) {
    await runRequests(endpoints[endpoint]("Hello", false), 64, 1);
    perSecond[endpoint] = (await runRequests(endpoints[endpoint]("Hello", false), 64, 4)).perSecond;
  }
  const { direct = 0, ours = 0, peer: theirs = 0 } = perSecond;
  rows.push({
    name: "Gateway, calls a second without streaming, 64 callers",
    direct: direct.toFixed(0),
    ours: ours.toFixed(0),
    ...(hasPeer ? { peer: theirs.toFixed(0) } : {}),
    ratio: hasPeer ? `${times(ours / theirs)} Portkey's` : times(ours / direct),
    aim: "1.5 x Portkey's",
  });
}

async function measureChat(server: TestServer, token: string, upstream: Upstream): Promise<void> {
  const headers = { "content-type": "application/json" };
  const messages = (load: Level) => [{ role: "user", content: question(load) }];
  const direct: Target = {
    url: new URL("/v1/chat/completions", upstream.origin),
    headers,
    body: (load) => JSON.stringify({ model: MODEL, stream: true, messages: messages(load) }),
    textOf: openAiText,
  };
  const ours: Target = {
    url: new URL("/api/ai/chat", server.baseUrl),
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: (load) => JSON.stringify({ model: MODEL, messages: messages(load) }),
    textOf: consoleText,
  };
  const first = (all: readonly StreamTiming[]) =>
    quantile(
      all.map(({ firstTokenMs }) => firstTokenMs),
      0.5,
    );
  for (let round = 0; round < 8; round++) await runRound(ours, level(20, 25, 1));
  for (const load of [level(1, 25, 30), level(50, 60, 4), level(500, 60, 1, 100, 2000)]) {
    const [straight, through]: [StreamTiming[], StreamTiming[]] = [[], []];
    const watch = new UsageMonitor(server.pid);
    for (let round = 0; round < load.rounds; round++) {
      straight.push(...(await runRound(direct, load)));
      through.push(...(await watch.during(() => runRound(ours, load))));
    }
    const memory = `${watch.usage.peakMb.toFixed(0)} MB`;
    const isMemory = load.streams === 500;
    rows.push({
      name: `Chat, ${isMemory ? "memory at most, 500 streams" : `first token p50, ${load.streams} begun at once`}`,
      ...(isMemory ? {} : { direct: ms(first(straight)), ratio: `+${ms(first(through) - first(straight))}` }),
      ours: isMemory ? memory : ms(first(through)),
      aim: "",
    });
  }
}

/** A server in the container's environment that has just started. */
async function measureStart(): Promise<void> {
  const server = await startServer({ env: { MALLOC_ARENA_MAX: "2" } });
  await pause(2500);
  const { idleMb, cpuSeconds } = UsageMonitor.total(server.pid);
  rows.push({
    name: "Start, processor time",
    ours: `${cpuSeconds.toFixed(2)} s`,
    aim: "1.5 s",
  });
  rows.push({ name: "Memory at rest", ours: `${idleMb.toFixed(0)} MB`, aim: "200 MB" });
  const watch = new UsageMonitor(server.pid);
  await watch.during(() => pause(3000));
  const idle = (watch.usage.cpuSeconds * 1000).toFixed(0);
  rows.push({ name: "Processor time in 3 s at rest", ours: `${idle} ms`, aim: "" });
  await server.close();
}

async function withServer(
  work: (server: TestServer, token: string, upstream: Upstream) => Promise<void>,
): Promise<void> {
  const server = await startServer();
  const upstream = await startOwn();
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
  const found = await measureSearch(100_000, 384);
  const row = (name: string, figure: string, aim: string) =>
    rows.push({ name: `Search, 100,000 x 384, ${name}`, ours: String(found[figure]), aim });
  row("p50", "p50", "");
  row("p95", "p95", "30 ms");
  row("recall@10", "recall@10", "");
  const taken = await withDatabase(() => measureIngestion(DOCUMENTS));
  const ingestion = (figure: string, aim: string) =>
    rows.push({ name: `Ingestion, ${figure}`, ours: String(taken[figure]), aim });
  ingestion("chunks a second", "");
  ingestion("commits per document", "");
  ingestion("others' delay p50 / p99 / max", "");
}

async function measureJobs(): Promise<void> {
  const printed = execFileSync(process.execPath, ["--import", "tsx", "bench/jobs.ts"], { encoding: "utf8" });
  const [, start = ""] = /idle: p50 ([\d.]+ ms)/.exec(printed) ?? [];
  const [, perSecond = ""] = /throughput: (\d+)/.exec(printed) ?? [];
  rows.push({ name: "Jobs, enqueue to start, p50", ours: start, aim: "" });
  rows.push({ name: "Jobs a second, ends durable", ours: perSecond, aim: "" });
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
  rows.push({
    name: "Workflows, 10,000 queued runs after a kill",
    ours: `${recovery.toFixed(1)} s`,
    aim: "",
  });
}

function toMarkdown(load: string): string {
  const cells = rows.map(({ name, direct = "", ours, peer: theirs = "", ratio = "", aim }) =>
    [name, direct, ours, ...(hasPeer ? [theirs] : []), ratio, aim].join(" | "),
  );
  const titles = ["", "direct", "ours", ...(hasPeer ? ["Portkey"] : []), "ratio or added", "aim"];
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
  jobs: measureJobs,
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
