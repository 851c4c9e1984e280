import type { z } from "zod";
import { whileAccessLasts } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { type Db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { refusalOfFile } from "~/work/extraction/formats.shared";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { assertRagEnabled } from "../access/document-access.server";
import { findDocumentRow, updateDocumentRow } from "../document-rows.repo.server";
import type { DocumentRow } from "../documents.repo.server";
import { addJob, discardDocument, ingestJob, markFailed } from "../jobs/document-jobs.server";
import type { IngestTarget, Requester } from "../jobs/job";
import { type Received, receiveBytes, trackUpload } from "../versions/version-content.server";
import { addVersion, updateVersion } from "../versions/versions.repo.server";
import { addDocument, findOlderFile, resolveTarget, reuseDuplicate } from "./accept.server";
import {
  MAX_UPLOAD_FILES,
  type RefusedUpload,
  SameNameRule,
  TargetInput,
  type UploadedFile,
  type UploadPart,
} from "./ingest.schema";
import { cleanFileName } from "./names.service.server";
import { decideSameName } from "./same-name.service.server";

export interface Upload {
  batchId: string;
  files: UploadedFile[];
}

const FIELDS = ["category", "visibility", "readers", "batch", "sameName"];

const UploadChoice = TargetInput.extend({ sameName: SameNameRule });
type UploadChoice = z.infer<typeof UploadChoice>;

class Fields {
  readonly #values: Record<string, string[]> = {};

  add(name: string, value: string): void {
    if (FIELDS.includes(name) && value !== "") this.#values[name] = [...(this.#values[name] ?? []), value];
  }

  /**
   * The batch that files are added to, for uploads in several requests.
   * @throws AppError `invalid` for an id that no upload returned
   */
  get batch(): string | undefined {
    const id = this.#values.batch?.[0];
    if (id === undefined || /^bat_[0-9A-Za-z]{1,60}$/.test(id)) return id;
    const message = "Send the X-Batch-Id of an earlier upload";
    throw new AppError("invalid", `batch: ${message}.`, { fields: { batch: [message] } });
  }

  /** @throws AppError `invalid` with the field */
  parse(): UploadChoice {
    const { category, visibility, readers, sameName } = this.#values;
    const chosen = { category: category?.[0], visibility: visibility?.[0], readers, sameName: sameName?.[0] };
    const parsed = UploadChoice.safeParse(chosen);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0] ?? "");
    const message = issue?.message ?? "Invalid value";
    throw new AppError("invalid", `${name}: ${message}`, { fields: { [name]: [message] } });
  }
}

const NOT_ADDED = { status: "failed", duplicateOf: null, sameNameAs: null } as const;

function addBatch(actor: Actor): string {
  const id = newId("bat");
  transaction((tx) =>
    append(tx, actor, { action: "batch.created", resource: `batch:${id}`, details: { upload: true } }),
  );
  return id;
}

function noFileAccepted(files: readonly UploadedFile[]): AppError {
  const refused = files.map(({ name, error }) => `${name}: ${error}`);
  const message = refused.slice(0, 5).join(" ") || "Please choose a file";
  return new AppError(files.length > 0 ? "unprocessable" : "invalid", message, {
    fields: { files: refused.length > 0 ? refused : [message] },
  });
}

/**
 * Stores and queues files as they arrive. A refused file doesn't affect the others.
 * @throws AppError `invalid` without any file, and for an invalid field or one after a file;
 * `unprocessable` if no file is of a supported type
 * @param project whose files they become, whatever access the fields say
 */
export async function receiveUpload(
  actor: Actor,
  parts: AsyncIterable<UploadPart>,
  signal?: AbortSignal,
  project?: IngestTarget["project"],
): Promise<Upload> {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const message = "The upload was stopped because your permissions changed. Ask an admin.";
  return whileAccessLasts(
    actor,
    message,
    (combined) => receiveParts(actor, parts, combined, project),
    signal,
  );
}

function discard(actor: Actor, files: readonly UploadedFile[]): void {
  const own = files.flatMap(({ id, duplicateOf }) => (id === null || duplicateOf !== null ? [] : [id]));
  const stops = transaction((tx) => own.map((id) => discardDocument(tx, actor, id)));
  for (const stop of stops) stop();
}

async function receiveParts(
  actor: Actor,
  parts: AsyncIterable<UploadPart>,
  signal: AbortSignal,
  project: IngestTarget["project"],
): Promise<Upload> {
  const fields = new Fields();
  const files: UploadedFile[] = [];
  let target: IngestTarget | undefined;
  let sameName: SameNameRule = "ask";
  let batchId: string | undefined;
  for await (const part of parts) {
    signal.throwIfAborted();
    if (part.kind === "field") {
      // Readers must precede the files, or a document would be public for a while.
      if (target && FIELDS.includes(part.name)) {
        discard(actor, files);
        throw new AppError("invalid", `Send the field "${part.name}" before the files.`);
      }
      fields.add(part.name, part.value);
      continue;
    }
    // Browsers send a nameless part for an empty file field.
    if (part.fileName === "") continue;
    if (files.length >= MAX_UPLOAD_FILES) {
      throw new AppError(
        "too_large",
        `At most ${MAX_UPLOAD_FILES} files at once. The first files were added.`,
      );
    }
    const name = cleanFileName(part.fileName);
    const refusal = refusalOfFile({ name: part.fileName, type: part.contentType });
    if (refusal) {
      files.push({ ...NOT_ADDED, id: null, name, error: `${refusal}.` });
      continue;
    }
    if (!target) {
      const choice = fields.parse();
      const access = project && { visibility: "named" as const, readers: [] };
      target = { ...resolveTarget(actor, { ...choice, ...access }), project };
      sameName = choice.sameName;
    }
    batchId ??= fields.batch ?? addBatch(actor);
    const file = { name, contentType: part.contentType.slice(0, 200), target, batchId };
    const received = await receiveFile(actor, file, part.bytes, signal);
    files.push(await applySameName(actor, received, sameName, signal));
  }
  // Syncs earlier commits before the upload is acknowledged.
  transaction(() => undefined);
  if (!batchId) throw noFileAccepted(files);
  return { batchId, files };
}

/** Decides on a file with the name of an older document as the upload says; while that is impossible, it stays open. */
async function applySameName(
  actor: Actor,
  file: UploadedFile,
  rule: SameNameRule,
  signal: AbortSignal,
): Promise<UploadedFile> {
  if (rule === "ask" || file.id === null || file.sameNameAs === null) return file;
  try {
    const { id } = await decideSameName(actor, file.id, rule, signal);
    return { ...file, id, sameNameAs: null };
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") return file;
    throw error;
  }
}

/** Like `receiveUpload`, but returns a rejection with the typed values, so that the form can show them again. */
export async function submitUpload(
  actor: Actor,
  parts: AsyncIterable<UploadPart>,
  signal?: AbortSignal,
): Promise<Upload | RefusedUpload> {
  const fields: RefusedUpload["fields"] = [];
  async function* recordFields(): AsyncGenerator<UploadPart> {
    for await (const part of parts) {
      if (part.kind === "field") fields.push([part.name, part.value]);
      yield part;
    }
  }
  try {
    return await receiveUpload(actor, recordFields(), signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "forbidden") throw error;
    return { problem: error.message, fields };
  }
}

interface TargetFile {
  name: string;
  /** Its path within the message or archive that it came in; its name by default. */
  source?: string;
  parentId?: string;
  contentType: string;
  target: IngestTarget;
  batchId?: string | undefined;
  /** It follows a file of a source: a document of its own, also if another one has the same content or name. */
  mirrored?: {
    /** Runs in the transaction that adds the document. */
    onAdded(tx: Db, documentId: string): void;
    /** Runs in the transaction that queues it, with its size in bytes. */
    onReceived(tx: Db, size: number): void;
  };
}

type StartedFile = Record<"documentId" | "versionId", string>;

function finish(
  actor: Requester,
  file: TargetFile,
  { documentId, versionId }: StartedFile,
  received: Received,
  writeLastPart: (tx: Db) => void,
): UploadedFile {
  let notify = () => {};
  const result = transaction((tx): UploadedFile => {
    const { name, batchId } = file;
    const content = {
      sha256: received.sha256,
      exceptId: documentId,
      ...(batchId === undefined ? {} : { batchId }),
    };
    const same = file.mirrored ? undefined : reuseDuplicate(tx, actor, file.target, content);
    if (!same) {
      writeLastPart(tx);
      updateVersion(tx, versionId, { ...received, state: "received" });
      addJob(tx, actor, ingestJob, { documentId, versionId, batchId });
      file.mirrored?.onReceived(tx, received.size);
      // A project's page has no question about files of the same name.
      const asks = !file.mirrored && !file.target.project;
      const document = asks ? findDocumentRow(tx, documentId) : undefined;
      const older = document && findOlderFile(tx, actor, document);
      if (older) updateDocumentRow(tx, documentId, { sameNameAs: older.id });
      const sameNameAs = older ? { id: older.id, name: older.name } : null;
      return { id: documentId, name, status: "processing", error: null, duplicateOf: null, sameNameAs };
    }
    // The received bytes are purged at once.
    updateVersion(tx, versionId, { state: "failed" });
    notify = discardDocument(tx, actor, documentId);
    const { id, name: duplicateOf } = same.document;
    // A failed one is processed again.
    const status = findDocumentRow(tx, id)?.status ?? "processing";
    return { id, name, status, error: null, duplicateOf, sameNameAs: null };
  });
  notify();
  return result;
}

function failFile({ name }: TargetFile, { documentId, versionId }: StartedFile, error: string): UploadedFile {
  transaction((tx) => markFailed(tx, documentId, versionId, error));
  return { ...NOT_ADDED, id: documentId, name, error };
}

/**
 * Stores and queues one file, or detects a duplicate. File errors are part of the result.
 * @throws AppError for other failures
 */
export async function receiveFile(
  actor: Requester,
  file: TargetFile,
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<UploadedFile> {
  // The commit that marks the file as received is durable and includes this.
  const started = transaction(
    (tx) => {
      const { name, source = name, parentId, contentType, target, batchId } = file;
      const documentId = addDocument(tx, actor, target, { name, type: "file", source, batchId, parentId });
      const versionId = addVersion(tx, documentId, {
        state: "receiving",
        fileName: source,
        contentType,
        createdBy: actor.userId,
      });
      file.mirrored?.onAdded(tx, documentId);
      return { documentId, versionId };
    },
    { durable: false },
  );
  let writeLastPart: (tx: Db) => void = () => undefined;
  const onLastPart = (write: (tx: Db) => void) => {
    writeLastPart = write;
  };
  try {
    return await trackUpload(started.versionId, async () => {
      const received = await receiveBytes(started.versionId, bytes, { signal, onLastPart });
      if (received.size === 0) return failFile(file, started, "The file is empty. Choose another file.");
      return finish(actor, file, started, received, writeLastPart);
    });
  } catch (error) {
    if (error instanceof AppError && error.code === "too_large")
      return failFile(file, started, error.message);
    failFile(file, started, interruptedUpload());
    throw error;
  } finally {
    knowledgeChanged({ orgId: actor.orgId, documentId: started.documentId });
  }
}

export const interruptedUpload = (type: DocumentRow["type"] = "file"): string =>
  type === "text"
    ? "The server stopped before the text was stored. Add the text again."
    : "The upload was interrupted. Upload the file again.";
