import type { DocumentRow } from "./documents.repo.server";

/** Whether the last processing failed. A document with an earlier version stays ready. */
export function hasFailed({ status, error }: Pick<DocumentRow, "status" | "error">): boolean {
  return status === "failed" || error !== null;
}
