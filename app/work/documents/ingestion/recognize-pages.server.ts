import { db, transaction } from "~/core/db.server";
import { clip } from "~/core/well-formed";
import { Postponed } from "~/platform/jobs/job-kind.service.server";
import { MAX_PAGE_TEXT, MAX_RECOGNIZED_PAGES } from "~/work/extraction/pdf/picture-pages";
import type { RecognizePage } from "~/work/extraction/recognition/recognize.service.server";
import { insertRecognizedPage, listRecognizedPages } from "../versions/versions.repo.server";
import type { IngestionContext } from "./context.server";

/** Time of recognition after which a document gives way to waiting ones (ms): it is read again when its turn comes. */
const TURN = 120_000;

/**
 * Recognizes pages that are pictures and stores the text of each at once, so that a restart continues with the next.
 * @param pages pages of the version without text
 * @param findRecognizer called for each page, since an admin may choose another reader, or none, in the meantime
 * @returns whether any was recognized, now or by an earlier attempt
 * @throws Postponed after `TURN`, if pages are left
 */
export async function recognizePages(
  versionId: string,
  pages: readonly number[],
  findRecognizer: () => RecognizePage | undefined,
  { signal, progress }: IngestionContext,
): Promise<boolean> {
  const before = new Set(listRecognizedPages(db(), versionId));
  const missing = pages.filter((page) => !before.has(page)).slice(0, MAX_RECOGNIZED_PAGES - before.size);
  const total = before.size + missing.length;
  const end = performance.now() + TURN;
  let done = before.size;
  for (const page of missing) {
    const recognizePage = findRecognizer();
    if (!recognizePage) break;
    progress("recognizing", done, total);
    const text = await recognizePage({ versionId, page }, signal);
    const row = { versionId, page, text: text && clip(text, MAX_PAGE_TEXT) };
    transaction((tx) => insertRecognizedPage(tx, row), { durable: false });
    done += 1;
    if (done < total && performance.now() > end) throw new Postponed(0);
  }
  return done > 0;
}
