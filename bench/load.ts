import { setTimeout as pause } from "node:timers/promises";
import { Agent, type Dispatcher } from "undici";

export interface Level {
  /** Concurrent streams. */
  streams: number;
  /** Per response. */
  tokens: number;
  /** Interval between tokens of a response (ms). */
  paceMs: number;
  /** Time over which the streams start (ms). */
  rampMs: number;
}

export const level = (streams: number, tokens: number, paceMs = 20, rampMs = 0): Level => ({
  streams,
  tokens,
  paceMs,
  rampMs,
});

export interface Request {
  url: URL;
  headers: Record<string, string>;
  body: string;
}

const post = (url: URL, headers: Record<string, string>, body: object): Request => ({
  url,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** The upstream reads the load from it. */
const messagesOf = (load: Level | undefined) => [
  { role: "user", content: load ? `Please answer with tokens:${load.tokens} pace:${load.paceMs}.` : "Hello" },
];

/** A call in OpenAI's protocol; without a load, one that doesn't stream. */
export const openAiCall = (
  origin: string,
  headers: Record<string, string>,
  model: string,
  load: Level | undefined,
): Request =>
  post(new URL("/v1/chat/completions", origin), headers, {
    model,
    stream: load !== undefined,
    messages: messagesOf(load),
  });

/** A message to the console's own chat. */
export const chatCall = (origin: string, token: string, model: string, load: Level | undefined): Request =>
  post(
    new URL("/api/ai/chat", origin),
    { authorization: `Bearer ${token}` },
    { model, messages: messagesOf(load) },
  );

/** One reusable connection per concurrent request. */
export const agent = new Agent({ connections: null, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

const optionsOf = ({ url, headers, body }: Request) => ({
  origin: url.origin,
  path: url.pathname,
  method: "POST" as const,
  headers,
  body,
});

export interface FrameTiming {
  firstTokenMs: number | undefined;
  gapsMs: number[];
  /** Missing or out-of-order frames. */
  lost: number;
  failure?: string;
}

/** Reads one response. Missing frames are counted, not thrown. */
function readFrames(request: Request, tokens: number): Promise<FrameTiming> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const gapsMs: number[] = [];
    let firstTokenMs: number | undefined;
    let last = 0;
    let next = 0;
    let inOrder = 0;
    let rest = "";
    let status = 0;
    const read = (text: string) => {
      for (const [, number] of text.matchAll(/#(\d+) /g)) {
        const now = performance.now();
        if (firstTokenMs === undefined) firstTokenMs = now - startedAt;
        else gapsMs.push(now - last);
        last = now;
        if (Number(number) === next) inOrder++;
        next = Number(number) + 1;
      }
    };
    const finish = (failure?: string) =>
      resolve({ firstTokenMs, gapsMs, lost: tokens - inOrder, ...(failure ? { failure } : {}) });
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_, code) {
        status = code;
      },
      onResponseData(_, chunk) {
        const text = rest + chunk.toString("latin1");
        const end = text.lastIndexOf("\n") + 1;
        read(text.slice(0, end));
        rest = text.slice(end);
      },
      onResponseEnd: () => finish(status === 200 ? undefined : `HTTP ${status} ${rest.slice(0, 200)}`),
      onResponseError: (_, error) => finish(error.message),
    };
    agent.dispatch({ ...optionsOf(request), bodyTimeout: 60_000 }, handler);
  });
}

/** Reads streams that start evenly over the ramp. */
export function runFrames(request: Request, { streams, tokens, rampMs }: Level): Promise<FrameTiming[]> {
  const step = rampMs / streams;
  return Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      if (step > 0) await pause(index * step);
      return readFrames(request, tokens);
    }),
  );
}

interface LoopTiming {
  perSecond: number;
  failed: number;
}

/**
 * A closed loop: each caller calls when its previous call is complete.
 * @param call gets its caller's number plus the number of that caller's calls before; returns whether it succeeded
 */
export async function runLoop(
  call: (n: number) => Promise<boolean>,
  callers: number,
  seconds: number,
): Promise<LoopTiming> {
  let [succeeded, failed] = [0, 0];
  const started = performance.now();
  const until = started + seconds * 1000;
  const repeat = async (caller: number) => {
    for (let n = caller; performance.now() < until; n++) {
      if (await call(n)) succeeded++;
      else failed++;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => repeat(caller)));
  return { perSecond: succeeded / ((performance.now() - started) / 1000), failed };
}

/** Makes a call to its end. @returns its text, or undefined if it failed */
export async function readText(request: Request): Promise<string | undefined> {
  const { statusCode, body } = await agent.request(optionsOf(request));
  const text = await body.text();
  return statusCode === 200 ? text : undefined;
}

/** Reads streams in a closed loop. A stream counts only with all of its frames. */
export const runStreams = (request: Request, { streams, tokens }: Level, seconds: number) =>
  runLoop(
    async () => {
      const { lost, failure } = await readFrames(request, tokens);
      return lost === 0 && failure === undefined;
    },
    streams,
    seconds,
  );
