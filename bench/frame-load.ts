import type { Dispatcher } from "undici";
import { agent, type LoopTiming, runLoop, startAll } from "./load";
import type { Level } from "./workload";

export interface Request {
  url: URL;
  headers: Record<string, string>;
  body: string;
}

export interface FrameTiming {
  firstTokenMs: number | undefined;
  gapsMs: number[];
  /** Missing or out-of-order frames. */
  lost: number;
  failure?: string;
}

const NUMBER = /"(?:content|text)":"#(\d+) /g;

/** Reads one response. Missing frames are counted, not thrown. */
function readFrames({ url, headers, body }: Request, tokens: number): Promise<FrameTiming> {
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
      for (const [, number] of text.matchAll(NUMBER)) {
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
    agent.dispatch(
      { origin: url.origin, path: url.pathname, method: "POST", headers, body, bodyTimeout: 60_000 },
      handler,
    );
  });
}

export const runFrames = (request: Request, level: Level): Promise<FrameTiming[]> =>
  startAll(level, () => readFrames(request, level.tokens));

/** Sends the request in a closed loop. */
export function runRequests(request: Request, callers: number, seconds: number): Promise<LoopTiming> {
  const { url, headers, body } = request;
  const options = { origin: url.origin, path: url.pathname, method: "POST" as const, headers, body };
  const call = async () => {
    const { statusCode, body } = await agent.request(options);
    const text = await body.text();
    return statusCode === 200 && text.includes('"usage"');
  };
  return runLoop(call, callers, seconds);
}

/** Reads streams in a closed loop. A stream counts only with all of its frames. */
export const runStreams = (request: Request, level: Level, seconds: number): Promise<LoopTiming> =>
  runLoop(
    async () => {
      const { lost, failure } = await readFrames(request, level.tokens);
      return lost === 0 && failure === undefined;
    },
    level.streams,
    seconds,
  );
