import { countOf } from "~/ui/format";
import type { UploadedFile } from "../../ingestion/ingest.schema";
import { INGESTION_FAILED } from "../../ingestion/ingest-messages.shared";

interface ToastWords {
  kind: "success" | "info" | "error";
  title: string;
  description?: string;
}

export function uploadToast(files: readonly UploadedFile[]): ToastWords {
  const failed = files.filter(({ error }) => error !== null);
  const retried = files.filter((file) => file.retried);
  const existing = files.filter((file) => file.duplicateOf !== null && !file.retried);
  const added = files.length - failed.length - existing.length - retried.length;
  const details = [
    ...failed.slice(0, 3).map(({ name, error }) => `${name}: ${error}`),
    ...retried.slice(0, 3).map(({ name }) => retriedSentence(name)),
    ...existing
      .slice(0, 3)
      .map(({ name, duplicateOf }) => `${name} is already in the library as "${duplicateOf}".`),
  ].join(" ");
  const kind = failed.length > 0 ? "error" : existing.length + retried.length > 0 ? "info" : "success";
  return {
    kind,
    title: uploadTitle(added, retried.length, failed.length),
    ...(details ? { description: details } : {}),
  };
}

const retriedSentence = (name: string) =>
  `${name} failed earlier and is being processed again. If it fails again, replace or delete it.`;

function uploadTitle(added: number, retried: number, failed: number): string {
  if (added > 0) return `${countOf(added, "file")} added`;
  if (retried > 0) return `${countOf(retried, "file")} being processed again`;
  return failed > 0 ? INGESTION_FAILED : "No new files";
}
