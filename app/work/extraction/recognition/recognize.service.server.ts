import { rawDatabase } from "~/core/db.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import { PageText, type RecognitionTask } from "../read-task";
import { installedLanguages, languagesFolder } from "./languages.server";

/**
 * Recognizes the text of a page of a stored PDF, from 1.
 * @returns paragraphs with an empty line between them; null if it takes too much time or memory
 */
export type RecognizePage = (
  page: { versionId: string; page: number },
  signal: AbortSignal,
) => Promise<string | null>;

const pool = new ProcessPool<RecognitionTask, string>({
  name: "recognize-page",
  entry: bundledWorker("read-document"),
  output: PageText,
  size: 1,
  // A page of text takes 2 s, one of noise in all four orientations two minutes.
  timeoutMs: 120_000,
  memoryMb: () => env().DOCUMENT_MEMORY_MB,
});

async function recognizeHere(
  page: Parameters<RecognizePage>[0],
  names: string[],
  signal: AbortSignal,
): Promise<string | null> {
  const task = { ...page, database: rawDatabase().name, folder: languagesFolder(), names };
  try {
    return await pool.run(task, signal);
  } catch (error) {
    // The process died of this page, which it would again.
    if (!signal.aborted && error instanceof AppError && error.code === "unavailable") return null;
    throw error;
  }
}

/** What recognizes pages that are pictures; undefined where nothing is installed. */
export function pageRecognizer(): RecognizePage | undefined {
  const names = installedLanguages();
  return names.length > 0 ? (page, signal) => recognizeHere(page, names, signal) : undefined;
}
