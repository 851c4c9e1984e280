import { basename } from "node:path";
import { startServer, type TestServer } from "../tests/support/server";
import { chatCall, type Level, level, openAiCall, type Request, readText, runFrames } from "./load";
import { addProvider, type Upstream } from "./upstream";

const MODEL = "bench";

/** A console under load. */
export interface Side {
  name: string;
  server: TestServer;
  token: string;
}

interface Measured {
  /** Tokens or calls. */
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
export const WORK: Record<string, (side: Side) => Promise<Measured>> = {
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
