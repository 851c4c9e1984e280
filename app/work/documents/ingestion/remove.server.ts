import { runInBatches } from "~/core/batches.server";
import { db } from "~/core/db.server";
import {
  countParts,
  countTexts,
  deletePartsBefore,
  deleteText,
} from "../versions/document-parts.repo.server";

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

export async function removeParts(versionId: string, signal?: AbortSignal): Promise<void> {
  const count = countParts(db(), versionId);
  await runInBatches(upTo(count), (tx, position) => deletePartsBefore(tx, versionId, position + 1), {
    signal,
    durable: false,
  });
}

export async function removeTexts(versionId: string, signal?: AbortSignal): Promise<void> {
  const count = countTexts(db(), versionId);
  await runInBatches(upTo(count), (tx, position) => deleteText(tx, versionId, position), {
    signal,
    durable: false,
  });
}
