import type { DocumentRow } from "./documents.repo.server";

/** True if the last processing failed. A document with an earlier version stays ready and has an error. */
export function hasFailed({ status, error }: Pick<DocumentRow, "status" | "error">): boolean {
  return status === "failed" || error !== null;
}
