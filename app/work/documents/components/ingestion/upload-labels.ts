import { FAILURES } from "~/ui/failures";
import { countOf } from "~/ui/format";
import type { UploadedFile } from "../../ingestion/ingest.schema";

interface UploadToast {
  kind: "success" | "info" | "error";
  title: string;
  description?: string;
}

export function uploadToast(files: readonly UploadedFile[]): UploadToast {
  const failed = files.filter(({ error }) => error !== null);
  const existing = files.filter((file) => file.duplicateOf !== null);
  const added = files.length - failed.length - existing.length;
  const details = [
    ...failed.slice(0, 3).map(({ name, error }) => `${name}: ${error}`),
    ...existing
      .slice(0, 3)
      .map(({ name, duplicateOf }) => `${name} is already in the library as "${duplicateOf}".`),
  ].join(" ");
  const kind = failed.length > 0 ? "error" : existing.length > 0 ? "info" : "success";
  return {
    kind,
    title: uploadTitle(added, failed.length),
    ...(details ? { description: details } : {}),
  };
}

function uploadTitle(added: number, failed: number): string {
  if (added > 0) return `${countOf(added, "file")} added`;
  return failed > 0 ? FAILURES.ingest.title : "No new files";
}
