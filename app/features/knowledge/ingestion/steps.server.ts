import { readVersion } from "../extraction/read-document.server";
import type { ReadVersion } from "../extraction/read-task";
import { indexVersion } from "../index/generations/index-version.server";
import { moveScope, removeVersionChunks } from "../index/generations/remove-chunks.server";
import { renewTerms } from "../index/generations/renew-terms.server";
import type { IngestionProgress } from "./context";

/** The heavy steps of ingestion, each resumable; tests put others in their place. */
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
    wordsWillDo: boolean;
  }): Promise<{ hasEmbeddings: boolean } | undefined>;
  /** Takes a version out of every index, and the vectors of what no other chunk says. */
  removeVersionChunks(versionId: string, signal: AbortSignal): Promise<void>;
  /** Puts a document's points where those who see it now look for them. */
  moveScope(documentId: string, signal: AbortSignal): Promise<void>;
  /** Has a document found by what it is called now. */
  renewTerms(documentId: string, signal: AbortSignal): Promise<void>;
}

/** The steps as they are done in earnest. */
export const ingestSteps: IngestSteps = {
  readVersion,
  indexVersion,
  removeVersionChunks,
  moveScope,
  renewTerms,
};
