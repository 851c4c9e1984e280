import { db, transaction } from "~/core/db.server";
import { MAX_RECOGNIZED_PAGES } from "~/work/extraction/pdf/picture-pages";
import type { RecognizePage } from "~/work/extraction/recognition/recognize.service.server";
import { insertRecognizedPage, listRecognizedPages } from "../versions/versions.repo.server";
import type { IngestionContext } from "./context.server";

/**
 * Recognizes pages that are pictures and stores the text of each at once, so that a restart continues with the next.
 * @param pages pages of the version without text
 * @returns whether any was recognized now
 */
export async function recognizePages(
  versionId: string,
  pages: readonly number[],
  recognizePage: RecognizePage,
  { signal, progress }: IngestionContext,
): Promise<boolean> {
  const before = new Set(listRecognizedPages(db(), versionId));
  const missing = pages.filter((page) => !before.has(page)).slice(0, MAX_RECOGNIZED_PAGES - before.size);
  const total = before.size + missing.length;
  for (const [at, page] of missing.entries()) {
    progress("recognizing", before.size + at, total);
    const text = await recognizePage({ versionId, page }, signal);
    transaction((tx) => insertRecognizedPage(tx, { versionId, page, text }), { durable: false });
  }
  return missing.length > 0;
}
