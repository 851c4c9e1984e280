import { readVersion } from "~/work/extraction/read-document.server";
import type { ReadVersion } from "~/work/extraction/read-task";
import { indexVersion } from "~/work/index/generations/index-version.server";
import { moveScope, removeVersionChunks } from "~/work/index/generations/remove-chunks.server";
import { renewTerms } from "~/work/index/generations/renew-terms.server";
import type { IngestionProgress } from "./context.server";

/** Resumable steps of ingestion; tests replace them. */
export interface IngestSteps {
  readVersion(
    version: { versionId: string; name: string; contentType: string; url?: string },
    signal: AbortSignal,
  ): Promise<ReadVersion>;
  indexVersion(work: {
    orgId: string;
    documentId: string;
    versionId: string;
    onProgress: IngestionProgress;
    signal: AbortSignal;
    allowKeywordsOnly: boolean;
  }): Promise<{ hasEmbeddings: boolean } | undefined>;
  removeVersionChunks(versionId: string, signal: AbortSignal): Promise<void>;
  moveScope(documentId: string, signal: AbortSignal): Promise<void>;
  renewTerms(documentId: string, signal: AbortSignal): Promise<void>;
}

export const ingestSteps: IngestSteps = {
  readVersion,
  indexVersion,
  removeVersionChunks,
  moveScope,
  renewTerms,
};
