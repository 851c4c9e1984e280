import { AppError } from "~/core/errors";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { PastedOutput, type PastedTask, type PreparedText, workOnPasted } from "./pasted-task";

/** Longer texts are worked on in a thread, in characters: these take a few milliseconds. */
const DONE_HERE = 50_000;

const pool = new WorkerPool<PastedTask, PastedOutput>({
  name: "pasted",
  entry: bundledWorker("pasted"),
  output: PastedOutput,
  size: 1,
  timeoutMs: 10_000,
  maxHeapMb: 512,
  maxQueue: 50,
});

async function work<W extends PastedTask["work"]>(
  task: Extract<PastedTask, { work: W }>,
  length: number,
): Promise<Extract<PastedOutput, { work: W }>> {
  const output = length <= DONE_HERE ? workOnPasted(task) : await pool.run(task);
  const isExpected = (one: PastedOutput): one is Extract<PastedOutput, { work: W }> => one.work === task.work;
  if (isExpected(output)) return output;
  throw new AppError("internal", "A worker sent an invalid response.");
}

/** @throws AppError `unavailable` when too many long ones are being prepared */
export async function prepareText(text: string): Promise<PreparedText> {
  return (await work({ work: "text", text }, text.length)).prepared;
}

/** Reads a file of exported questions. @throws AppError `invalid` when it is none, `unavailable` */
export async function readExport(json: string) {
  return (await work({ work: "questions", json }, json.length)).content;
}
