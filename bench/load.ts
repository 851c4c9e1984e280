import { setTimeout as pause } from "node:timers/promises";
import { Agent, type Dispatcher } from "undici";
import { z } from "zod";
import { type Level, WORD } from "./workload";

/** Timing of one stream (ms). */
export interface StreamTiming {
  firstTokenMs: number;
  tokensPerSecond: number;
}

export interface Target {
  url: URL;
  headers: Record<string, string>;
  body(level: Level): string;
  /** The text of one event. */
  textOf(event: unknown): string;
}

const OpenAiChunk = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }).optional() })),
});

/** The text in a chunk of OpenAI's chat stream. */
export function openAiText(event: unknown): string {
  const chunk = OpenAiChunk.safeParse(event);
  return chunk.success ? (chunk.data.choices[0]?.delta?.content ?? "") : "";
}

const UiChunk = z.object({
  type: z.string(),
  delta: z.string().optional(),
  errorText: z.string().optional(),
});

/** The text in a chunk of the console's own stream. */
export function consoleText(event: unknown): string {
  const chunk = UiChunk.safeParse(event);
  if (!chunk.success) return "";
  if (chunk.data.type === "error") throw new Error(`The console sent an error: ${chunk.data.errorText}`);
  return chunk.data.type === "text-delta" ? (chunk.data.delta ?? "") : "";
}

/** One reusable connection per concurrent request. */
export const agent = new Agent({ connections: null, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

function readStream(target: Target, level: Level): Promise<StreamTiming> {
  const { url, headers, textOf } = target;
  const { tokens } = level;
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let first = 0;
    let last = 0;
    let length = 0;
    let rest = "";
    let status = 0;
    const readLine = (line: string) => {
      if (!line.startsWith("data: {")) return;
      const text = textOf(JSON.parse(line.slice(6)));
      if (text === "") return;
      last = performance.now();
      if (first === 0) first = last;
      length += text.length;
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_, code) {
        status = code;
      },
      onResponseData(controller, chunk) {
        const lines = (rest + chunk.toString("latin1")).split("\n");
        rest = lines.pop() ?? "";
        try {
          for (const line of lines) readLine(line);
        } catch (error) {
          controller.abort(error instanceof Error ? error : new Error(String(error)));
        }
      },
      onResponseEnd() {
        if (status === 200 && length === tokens * WORD.length) {
          const tokensPerSecond = ((tokens - 1) / (last - first)) * 1000;
          resolve({ firstTokenMs: first - started, tokensPerSecond });
        } else
          reject(
            new Error(`${url.href} returned HTTP ${status} with ${length} characters. ${rest.slice(0, 500)}`),
          );
      },
      onResponseError: (_, error) => reject(error),
    };
    const body = target.body(level);
    agent.dispatch(
      { origin: url.origin, path: url.pathname, method: "POST", headers, body, bodyTimeout: 60_000 },
      handler,
    );
  });
}

export interface LoopTiming {
  perSecond: number;
  timesMs: number[];
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
  const timesMs: number[] = [];
  let failed = 0;
  const started = performance.now();
  const until = started + seconds * 1000;
  const repeat = async (caller: number) => {
    for (let n = caller; performance.now() < until; n++) {
      const callStarted = performance.now();
      if (!(await call(n))) failed++;
      timesMs.push(performance.now() - callStarted);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => repeat(caller)));
  const elapsed = (performance.now() - started) / 1000;
  return { perSecond: (timesMs.length - failed) / elapsed, timesMs, failed };
}

/** Starts all streams evenly over the ramp. */
export function startAll<T>({ streams, rampMs }: Level, begin: () => Promise<T>): Promise<T[]> {
  const step = rampMs / streams;
  return Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      if (step > 0) await pause(index * step);
      return begin();
    }),
  );
}

export const runRound = (target: Target, level: Level): Promise<StreamTiming[]> =>
  startAll(level, () => readStream(target, level));
