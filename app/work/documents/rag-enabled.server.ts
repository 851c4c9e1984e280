import { AppError } from "~/core/errors";
import { readSettings } from "~/platform/settings/read-settings.service.server";

/** @throws AppError `conflict` if the settings switch documents off */
export function assertRagEnabled(orgId: string): void {
  if (readSettings(orgId, "rag").ragEnabled) return;
  throw new AppError(
    "conflict",
    "RAG is turned off. Turn it on in RAG & Embedding Settings to add documents.",
  );
}
