import { z } from "zod";
import { decodeText } from "~/core/charset";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import type { OutsideTextTask, Parsed } from "./outside-text-task";
import { PageParts } from "./web-scraping/page-task";

const THREAD = { entry: bundledWorker("outside-text"), size: 1, timeoutMs: 10_000, maxHeapMb: 192 };

const texts = new WorkerPool<OutsideTextTask, unknown>({
  ...THREAD,
  name: "outside-text",
  output: z.unknown(),
  tooLong: "The text is too complex to be read.",
});

/** A thread of their own: a selector can take all of its time, and others' texts don't wait for it. */
const pages = new WorkerPool<OutsideTextTask, PageParts>({
  ...THREAD,
  name: "page-parts",
  output: PageParts,
});

/**
 * Parses a stranger's text in a thread, with limits of time and memory.
 * @throws AppError `unprocessable`; `unavailable` beyond the limits
 */
export async function readOutsideText<Task extends OutsideTextTask>(
  task: Task,
  signal: AbortSignal,
): Promise<Parsed<Task["kind"]>> {
  const pool = task.kind === "page" ? pages : texts;
  return (await pool.run(task, signal)) as Parsed<Task["kind"]>;
}

/** @throws AppError for an error status, with the body's start */
export async function readText(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = decodeText(bytes, response.headers.get("content-type") ?? "");
  if (response.ok) return text;
  const status = `${response.status} ${response.statusText.slice(0, 100)}`.trim();
  const detail = clip(text.slice(0, 1000).replaceAll(/\s+/g, " ").trim(), 300);
  throw new AppError(
    "provider_unavailable",
    `${new URL(response.url).host} returned HTTP ${status}${detail ? `: ${detail}` : "."}`,
  );
}

/** @throws AppError as `readText`; `provider_unavailable` for malformed JSON or too many values */
export async function readJson(response: Response, signal: AbortSignal): Promise<unknown> {
  const text = await readText(response);
  try {
    return await readOutsideText({ kind: "json", text }, signal);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "invalid")) throw error;
    const { host } = new URL(response.url);
    throw new AppError("provider_unavailable", `${host} didn't return usable JSON. ${error.message}`);
  }
}
