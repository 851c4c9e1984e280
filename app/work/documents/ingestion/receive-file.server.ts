import type { Actor } from "~/core/actor";
import { type Db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import type { DocumentRow } from "../documents.repo.server";
import { addJob, discardDocument, ingestJob } from "../jobs/document-jobs.server";
import { markFailed } from "../versions/mark-failed.server";
import { addVersion, updateVersion } from "../versions/versions.repo.server";
import { addDocument, type IngestTarget } from "./accept.server";
import { reuseDuplicate } from "./duplicate.server";
import { MAX_FILE_BYTES } from "./ingest.schema";
import { type Received, receiveBytes, trackUpload } from "./receive.server";

interface TargetFile {
  name: string;
  contentType: string;
  target: IngestTarget;
  batchId: string;
}

export interface FileResult {
  documentId: string;
  name: string;
  error: string | null;
  duplicateOf: string | null;
}

interface StartedFile {
  documentId: string;
  versionId: string;
}

function finish(
  actor: Actor,
  file: TargetFile,
  { documentId, versionId }: StartedFile,
  received: Received,
  writeLastPart: (tx: Db) => void,
): FileResult {
  let notify = () => {};
  const result = transaction((tx): FileResult => {
    const { name, batchId } = file;
    const content = { sha256: received.sha256, exceptId: documentId, batchId };
    const same = reuseDuplicate(tx, actor, file.target, content);
    if (!same) {
      writeLastPart(tx);
      updateVersion(tx, versionId, { ...received, state: "received" });
      addJob(tx, actor, ingestJob, { documentId, versionId, batchId });
      return { documentId, name, error: null, duplicateOf: null };
    }
    // The received bytes are purged at once.
    updateVersion(tx, versionId, { state: "failed" });
    notify = discardDocument(tx, actor, documentId);
    const { id: existing, name: duplicateOf } = same.document;
    return { documentId: existing, name, error: null, duplicateOf };
  });
  notify();
  return result;
}

function failFile({ name }: TargetFile, { documentId, versionId }: StartedFile, error: AppError): FileResult {
  transaction((tx) => markFailed(tx, documentId, versionId, error.message));
  return { documentId, name, error: error.message, duplicateOf: null };
}

/**
 * Stores and queues one file, or detects a duplicate. File errors are part of the result.
 * @throws AppError for other failures
 */
export async function receiveFile(
  actor: Actor,
  file: TargetFile,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<FileResult> {
  // The commit that marks the file as received is durable and includes this.
  const started = transaction(
    (tx) => {
      const { name, contentType, target, batchId } = file;
      const documentId = addDocument(tx, actor, target, { name, type: "file", source: name, batchId });
      const versionId = addVersion(tx, documentId, {
        state: "receiving",
        fileName: name,
        contentType,
        createdBy: actor.userId,
      });
      return { documentId, versionId };
    },
    { durable: false },
  );
  const tooLarge = () =>
    new AppError("too_large", "The file is larger than 50 MB. Split it into smaller files.");
  let writeLastPart: (tx: Db) => void = () => undefined;
  const onLastPart = (write: (tx: Db) => void) => {
    writeLastPart = write;
  };
  const options = { limit: MAX_FILE_BYTES, tooLarge, signal, onLastPart };
  try {
    return await trackUpload(started.versionId, async () => {
      const received = await receiveBytes(started.versionId, bytes, options);
      if (received.size === 0)
        return failFile(file, started, new AppError("invalid", "The file is empty. Choose another file."));
      return finish(actor, file, started, received, writeLastPart);
    });
  } catch (error) {
    if (error instanceof AppError && error.code === "too_large") return failFile(file, started, error);
    failFile(file, started, interruptedUpload());
    throw error;
  } finally {
    knowledgeChanged({ orgId: actor.orgId, documentId: started.documentId });
  }
}

export function interruptedUpload(type: DocumentRow["type"] = "file"): AppError {
  const message =
    type === "text"
      ? "The server stopped before the text was stored. Add the text again."
      : "The upload was interrupted. Upload the file again.";
  return new AppError("invalid", message);
}
