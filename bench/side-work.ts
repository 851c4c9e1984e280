import { basename } from "node:path";
import { startServer, type TestServer } from "../tests/support/server";
import { type Request, runFrames } from "./frame-load";
import { agent, consoleText, runRound, type Target } from "./load";
import { addProvider, type Upstream } from "./upstream";
import { type Level, question } from "./workload";

const MODEL = "bench";
/** A console under load. */
export interface Side {
  name: string;
  server: TestServer;
  token: string;
}

interface Measured {
  /** Frames, tokens or calls. */
  units: number;
  firstTokensMs: number[];
}

export async function startSide(
  folder: string,
  upstream: Upstream,
  env: Record<string, string> = {},
): Promise<Side> {
  const here = process.cwd();
  process.chdir(folder);
  const server = await startServer({ env }).finally(() => process.chdir(here));
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

/** Kinds of load by name. */
export const WORK: Record<string, (side: Side) => Promise<Measured>> = {
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
