import { rawDatabase } from "~/core/db.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import { PagePicture, type PageTask, PageText, type RecognitionTask } from "../read-task";
import { installedLanguages, languagesFolder } from "./languages.server";
import { readingServer, recognizeAtServer } from "./reading-server.server";

/**
 * Recognizes the text of a page of a stored PDF, from 1.
 * @returns paragraphs with an empty line between them; null if it takes too much time or memory
 */
export type RecognizePage = (
  page: { versionId: string; page: number },
  signal: AbortSignal,
) => Promise<string | null>;

const limits = {
  entry: bundledWorker("read-document"),
  size: 1,
  // A page of text takes 2 s, one of noise in all four orientations two minutes.
  timeoutMs: 120_000,
  memoryMb: () => env().DOCUMENT_MEMORY_MB,
};

const pool = new ProcessPool<RecognitionTask, string>({
  ...limits,
  name: "recognize-page",
  output: PageText,
});

/** A separate pool from that of the pictures for people, whose full queue would look like a page that can't be drawn. */
const drawingPool = new ProcessPool<PageTask, PagePicture>({
  ...limits,
  name: "draw-scanned-page",
  output: PagePicture,
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
    // The page ended the process, and would do so again.
    if (!signal.aborted && error instanceof AppError && error.code === "unavailable") return null;
    throw error;
  }
}

/** Draws a page of a stored PDF and sends its picture to the server that an admin chose. */
async function recognizeElsewhere(
  orgId: string,
  { versionId, page }: Parameters<RecognizePage>[0],
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const task = { versionId, page, database: rawDatabase().name, isForRecognition: true };
    const picture = await drawingPool.run(task, signal);
    // Read now, since an admin may have chosen another reader since the last page.
    const server = readingServer(orgId);
    if (!server) throw new AppError("provider_unavailable", "The reader of scanned pages was changed.");
    return await recognizeAtServer(server, picture, signal);
  } catch (error) {
    if (!signal.aborted && error instanceof AppError && isOfPage(error)) return null;
    throw error;
  }
}

/** Whether the page itself can't be drawn or read, by whichever reader. */
const isOfPage = ({ code }: AppError) => code === "unavailable" || code === "unprocessable";

/** What recognizes pages that are pictures by the organization's settings; undefined if nothing does. */
export function pageRecognizer(orgId: string): RecognizePage | undefined {
  if (readingServer(orgId)) return (page, signal) => recognizeElsewhere(orgId, page, signal);
  if (readSetting(orgId, "recognition.reader") !== "builtin") return undefined;
  const names = installedLanguages();
  return names.length > 0 ? (page, signal) => recognizeHere(page, names, signal) : undefined;
}
