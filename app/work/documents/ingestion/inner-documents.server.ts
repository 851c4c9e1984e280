import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { Facts } from "~/work/extraction/document.schema";
import { readInnerFiles } from "~/work/extraction/read-document.service.server";
import type { InnerFiles } from "~/work/extraction/read-task";
import { documentDetails } from "../access/document-access.server";
import { findInnerDocument, listReaders } from "../document-rows.repo.server";
import type { DocumentRow } from "../documents.repo.server";
import { discardDocument, removeDocument } from "../jobs/document-jobs.server";
import type { IngestTarget, Requester } from "../jobs/job";
import { findOrigin } from "../sources/sources.repo.server";
import { piecesOf } from "../versions/version-content.server";
import { listVersions, updateVersion, type VersionRow } from "../versions/versions.repo.server";
import type { IngestionContext } from "./context.server";
import { cleanFileName } from "./names.service.server";
import { receiveFile } from "./upload.service.server";

/** Refused files that a sentence names; the others are counted. */
const MAX_NAMED = 50;

interface Work {
  document: DocumentRow;
  version: VersionRow;
  context: IngestionContext;
}

interface Outcome {
  /** Documents added, or there already. */
  documents: number;
  /** Why the others weren't added. */
  refused: string | undefined;
}

/** Files within a file were taken out with it, those within a message too. */
const cameInside = ({ source }: DocumentRow, { number }: VersionRow) => number === 1 && source.includes("/");

/**
 * Adds the attachments of a message, or the files of an archive, as documents of their own. An archive of which every
 * file was added is then removed: it was their folder.
 * @returns false if that ended the job
 * @throws AppError `unprocessable` for an archive of which a file wasn't added; the others stay
 */
export async function addInnerDocuments(work: Work): Promise<boolean> {
  const { document, version, context } = work;
  const { files = 0, isFolder = false } = Facts.parse(version.facts);
  if (files > 0 && findOrigin(db(), document.id)) {
    if (isFolder)
      throw new AppError(
        "unprocessable",
        "An archive in a source isn't unpacked. Unpack it there, or upload it.",
      );
    noteRefused(version, "The attachments of a message in a source aren't added.");
    return true;
  }
  if (isFolder && (document.type !== "file" || document.versionId !== null))
    throw new AppError("unprocessable", "This is an archive. Upload it as a new document to add its files.");
  if (files === 0 || document.type !== "file" || cameInside(document, version)) return true;
  const outcome = await addAll(work);
  if (isFolder) return endFolder(work, outcome);
  if (outcome.refused !== undefined) noteRefused(version, outcome.refused);
  context.signal.throwIfAborted();
  return true;
}

async function addAll(work: Work): Promise<Outcome> {
  const { document, version, context } = work;
  const requester: Requester = {
    ...context.input.by,
    orgId: document.orgId,
    userId: document.createdBy,
  };
  const target: IngestTarget = {
    categoryId: document.categoryId,
    visibility: document.visibility,
    readers: listReaders(db(), document.id),
    refreshEvery: null,
    ...(document.folderId && { project: { id: document.folderId, ownerId: document.createdBy } }),
  };
  const messages = new Map<string, string>();
  const refused: string[] = [];
  let documents = 0;
  const task = {
    versionId: version.id,
    name: version.fileName ?? document.name,
    contentType: version.contentType,
  };
  for (let from: number | null = 0; from !== null; ) {
    const first: number = from;
    const taken = await readInnerFiles({ ...task, from, offset: 0 }, context.signal);
    for (const [index, file] of taken.files.entries()) {
      context.signal.throwIfAborted();
      const readMore = (offset: number) => readInnerFiles({ ...task, from: first + index, offset });
      const parentId = (file.within && messages.get(file.within)) || document.id;
      const result = await addInner(requester, { document, parentId, target }, file, readMore);
      if ("problem" in result) refused.push(`${file.path} (${result.problem})`);
      else {
        messages.set(file.path, result.id);
        documents += 1;
      }
      context.progress("reading", documents + refused.length, 0);
    }
    from = taken.next;
  }
  return { documents, refused: sentenceOf(refused) };
}

function sentenceOf(refused: readonly string[]): string | undefined {
  if (refused.length === 0) return undefined;
  const more = refused.length > MAX_NAMED ? [`${refused.length - MAX_NAMED} others`] : [];
  return `Not added: ${[...refused.slice(0, MAX_NAMED), ...more].join(", ")}.`;
}

async function* allBytes(
  { bytes = new Uint8Array(), size }: InnerFiles["files"][number],
  readMore: (offset: number) => Promise<InnerFiles>,
): AsyncGenerator<Uint8Array> {
  yield* piecesOf(bytes);
  for (let at = bytes.length; at < size; ) {
    const [more] = (await readMore(at)).files;
    if (!more?.bytes?.length) throw new Error(`An inner file ended after ${at} of ${size} bytes.`);
    yield* piecesOf(more.bytes);
    at += more.bytes.length;
  }
}

/** Adds one file, unless an earlier attempt of the job did. */
async function addInner(
  requester: Requester,
  { document, parentId, target }: { document: DocumentRow; parentId: string; target: IngestTarget },
  file: InnerFiles["files"][number],
  readMore: (offset: number) => Promise<InnerFiles>,
): Promise<{ id: string } | { problem: string }> {
  const { path, contentType, sha256, problem } = file;
  if (problem !== undefined) return { problem };
  const source = `${document.source}/${path}`;
  const existing = findInnerDocument(db(), { parentId, source });
  const received = existing && listVersions(db(), existing.id);
  if (existing && received?.some((version) => version.sha256 === sha256)) return existing;
  // A crash interrupted it.
  if (existing && !received?.some((version) => version.sha256))
    transaction((tx) => discardDocument(tx, requester, existing.id))();
  const { batchId } = document;
  const { id, error } = await receiveFile(
    requester,
    {
      name: cleanFileName(path),
      source,
      parentId,
      contentType,
      target,
      ...(batchId === null ? {} : { batchId }),
    },
    allBytes(file, readMore),
  );
  return id === null || error !== null ? { problem: error ?? "it couldn't be stored" } : { id };
}

function endFolder({ document, context }: Work, { documents, refused }: Outcome): false {
  if (refused !== undefined) {
    const added = documents === 1 ? "1 file was added" : `${documents.toLocaleString("en")} files were added`;
    throw new AppError("unprocessable", `${added} to the documents. ${refused}`);
  }
  if (documents === 0) throw new AppError("unprocessable", "This archive has no files to add.");
  const actor = { ...context.input.by, orgId: document.orgId, userId: context.owner };
  const stopped = transaction((tx) => {
    if (!context.succeed(tx)) return undefined;
    append(tx, actor, {
      action: "document.unpacked",
      resource: `document:${document.id}`,
      details: documentDetails(document, { filename: document.name }, { files: documents }),
    });
    return removeDocument(tx, actor, document.id);
  });
  stopped?.();
  return false;
}

function noteRefused({ id, facts: stored }: VersionRow, refused: string): void {
  const facts = Facts.parse(stored);
  const notes = facts.notes ?? [];
  if (notes.includes(refused)) return;
  transaction((tx) => updateVersion(tx, id, { facts: { ...facts, notes: [...notes, refused] } }));
}
