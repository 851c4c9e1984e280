import { now } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import type { Json } from "../steps/step-type";
import { CodeResult, type CodeTask } from "./code-task";

/** Pieces of code at once. */
const PROCESSES = 2;
/** The interpreter's heap is smaller; Node and its WebAssembly need the rest. */
const MEMORY_MB = 256;
/** Backstop in ms; the step's limit is lower. */
const MAX_DURATION = 3_600_000;
/** In characters of JSON. */
const MAX_INPUT = 5_000_000;

/** A process ends code that doesn't end by itself, and its memory outside V8's heap is limited too. */
const pool = new ProcessPool<CodeTask, CodeResult>({
  name: "code",
  entry: bundledWorker("code"),
  output: CodeResult,
  size: PROCESSES,
  timeoutMs: MAX_DURATION,
  memoryMb: () => MEMORY_MB,
  tooLarge: "The code needs too much memory. Work on less data at a time.",
});

export interface RanCode extends Pick<CodeResult, "error" | "log"> {
  /** null after an error. */
  output: Json;
}

/**
 * Runs JavaScript without network, files, timers and a running clock.
 * @param hold holds the time limit while it waits for its turn: endless code of other runs may come first
 * @returns what it returned, or the error that it threw with its line
 * @throws AppError `too_large`, `unavailable`; the signal's reason once the code has stopped
 */
export async function runCode(
  code: string,
  input: Json,
  signal: AbortSignal,
  hold?: () => () => void,
): Promise<RanCode> {
  const text = JSON.stringify(input);
  if (text.length > MAX_INPUT)
    throw new AppError(
      "too_large",
      `The input has more than ${MAX_INPUT / 1_000_000} million characters of JSON. Give the code less.`,
    );
  const { json, error, log } = await pool.run({ code, input: text, now: now() }, signal, hold?.());
  return { output: json === null ? null : (parseWellFormed(json) as Json), error, log };
}
