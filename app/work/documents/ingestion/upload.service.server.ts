import { whileAccessLasts } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { refusalOfFile } from "~/work/extraction/refused-files.shared";
import { findDocumentForJob } from "../documents-for-jobs.repo.server";
import { discardDocument } from "../jobs/document-jobs.server";
import { assertRagEnabled } from "../rag-enabled.server";
import { type IngestTarget, resolveTarget } from "./accept.server";
import { MAX_UPLOAD_FILES, TargetInput, type UploadedFile } from "./ingest.schema";
import { cleanFileName } from "./names";
import { type FileResult, receiveFile } from "./receive-file.server";

/** Fields come before files. */
export type UploadPart =
  | { kind: "field"; name: string; value: string }
  | { kind: "file"; fileName: string; contentType: string; bytes: AsyncIterable<Uint8Array> };

export interface Upload {
  batchId: string;
  files: UploadedFile[];
}

const FIELDS = ["category", "visibility", "readers", "batch"];

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

  parse(): TargetInput {
    const { category, visibility, readers } = this.#values;
    const parsed = TargetInput.safeParse({ category: category?.[0], visibility: visibility?.[0], readers });
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0] ?? "");
    const message = issue?.message ?? "Invalid value";
    throw new AppError("invalid", `${name}: ${message}`, { fields: { [name]: [message] } });
  }
}

function addBatch(actor: Actor): string {
  const id = newId("bat");
  transaction((tx) =>
    append(tx, actor, { action: "batch.created", resource: `batch:${id}`, details: { upload: true } }),
  );
  return id;
}

function toUploaded({ documentId, ...file }: FileResult): UploadedFile {
  const { error } = file;
  const status = error !== null ? "failed" : (findDocumentForJob(db(), documentId)?.status ?? "processing");
  return { id: documentId, ...file, status };
}

function toRefusedFile({
  fileName,
  contentType,
}: {
  fileName: string;
  contentType: string;
}): UploadedFile | undefined {
  const refusal = refusalOfFile({ name: fileName, type: contentType });
  if (!refusal) return undefined;
  const name = cleanFileName(fileName);
  return { id: null, name, status: "failed", error: `${refusal}.`, duplicateOf: null };
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
 */
export async function receiveUpload(
  actor: Actor,
  parts: AsyncIterable<UploadPart>,
  signal?: AbortSignal,
): Promise<Upload> {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const message = "The upload was stopped because your permissions changed. Ask an admin.";
  return whileAccessLasts(actor, message, (combined) => receiveParts(actor, parts, combined), signal);
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
): Promise<Upload> {
  const fields = new Fields();
  const files: UploadedFile[] = [];
  let target: IngestTarget | undefined;
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
    if (files.length >= MAX_UPLOAD_FILES) {
      throw new AppError(
        "too_large",
        `At most ${MAX_UPLOAD_FILES} files at once. The first files were added.`,
      );
    }
    const refused = toRefusedFile(part);
    if (refused) {
      files.push(refused);
      continue;
    }
    target ??= resolveTarget(actor, fields.parse());
    batchId ??= fields.batch ?? addBatch(actor);
    const name = cleanFileName(part.fileName);
    const file = { name, contentType: part.contentType.slice(0, 200), target, batchId };
    files.push(toUploaded(await receiveFile(actor, file, part.bytes, signal)));
  }
  // Syncs earlier commits before the upload is acknowledged.
  transaction(() => undefined);
  if (!batchId) throw noFileAccepted(files);
  return { batchId, files };
}

export interface RefusedUpload {
  problem: string;
  fields: [name: string, value: string][];
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
      if (part.kind === "file" && part.fileName === "") continue;
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
