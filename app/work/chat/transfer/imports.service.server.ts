import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { isDiskFull } from "~/core/storage-faults.server";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import type { MultipartPart } from "~/platform/endpoint/endpoint.shared";
import { publish } from "~/platform/events/events.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { cancelJobWithin, enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { type ExportFiles, openExport } from "./export-file.server";
import {
  findImport,
  findSameImport,
  type ImportRow,
  insertImport,
  listImportRows,
  listRunning,
  updateImport,
} from "./imports.repo.server";
import { type ConversationImport, ImportReport } from "./imports.schema";

export const conversationImport = declareJob({
  kind: "chat.import",
  input: z.object({ importId: z.string() }),
  lane: "bulk",
});

const MAX_LISTED = 10;
const NAME_LENGTH = 200;
/** Time in which a client may send a file again whose response it lost, in ms. */
const RESEND_TIME = 60_000;

function toImport({ id, fileName, state, report, createdAt, finishedAt }: ImportRow): ConversationImport {
  return {
    id,
    fileName,
    state,
    report: ImportReport.catch(ImportReport.parse({})).parse(report),
    createdAt: isoTime(createdAt),
    finishedAt: finishedAt === null ? null : isoTime(finishedAt),
  };
}

export function listImports(actor: Actor): ConversationImport[] {
  authorise(actor, "chat.use");
  return listImportRows(db(), actor.userId, MAX_LISTED).map(toImport);
}

export function readImport(actor: Actor, id: string): ConversationImport {
  authorise(actor, "chat.use");
  const row = findImport(db(), actor.userId, id);
  if (!row) throw new AppError("not_found", "Import not found.");
  return toImport(row);
}

function assertIdle(userId: string): void {
  if (!listRunning(db()).some((row) => row.userId === userId)) return;
  throw new AppError("conflict", "An import is already running. Wait until it ends.");
}

/**
 * Uploads an export of conversations and queues its import. The same file sent again, since the
 * response was lost, gets the import that runs or has just ended.
 * @throws AppError `invalid` without a file, `conflict` while another import runs
 */
export async function startImport(
  actor: Actor,
  parts: AsyncIterable<MultipartPart>,
): Promise<ConversationImport> {
  authorise(actor, "chat.use");
  await sweepUploads(new Set(listRunning(db()).map(({ id }) => id)));
  const id = newId("imp");
  let fileName: string | undefined;
  let digest: string | null = null;
  for await (const part of parts) {
    if (part.kind === "field" || part.fileName === "" || fileName !== undefined) continue;
    digest = await keepUpload(id, part.bytes);
    fileName = clip(part.fileName.toWellFormed(), NAME_LENGTH);
  }
  if (fileName === undefined) {
    const message = "Choose a file";
    throw new AppError("invalid", `${message}.`, { fields: { file: [message] } });
  }
  const row: ImportRow = {
    id,
    orgId: actor.orgId,
    userId: actor.userId,
    fileName,
    digest,
    state: "running",
    report: ImportReport.parse({}),
    createdAt: now(),
    finishedAt: null,
  };
  try {
    const existing = transaction((tx) => {
      const same = findSameImport(tx, row, now() - RESEND_TIME);
      if (same) return same;
      assertIdle(actor.userId);
      insertImport(tx, row);
      enqueue(
        tx,
        conversationImport,
        { importId: id },
        { actor, id, dedupeKey: actor.userId, subject: `import:${id}` },
      );
      append(tx, actor, {
        action: "conversation.import_started",
        resource: `import:${id}`,
        details: { file: row.fileName },
      });
      return undefined;
    });
    if (!existing) return toImport(row);
    deleteUpload(id);
    return toImport(existing);
  } catch (error) {
    deleteUpload(id);
    throw error;
  }
}

/** Cancels an import, keeping what it has stored. @throws AppError `not_found`, `conflict` for a finished one */
export function cancelImport(actor: Actor, id: string): ConversationImport {
  authorise(actor, "chat.use");
  const canceled = transaction((tx) => {
    const row = findImport(tx, actor.userId, id);
    if (!row) throw new AppError("not_found", "Import not found.");
    if (row.state !== "running") throw new AppError("conflict", "This import has already ended.");
    cancelJobWithin(tx, id);
    const { report } = toImport(row);
    const error = "The import was canceled. Conversations imported before are kept.";
    const change = { state: "cancelled" as const, finishedAt: now(), report: { ...report, error } };
    updateImport(tx, id, change);
    append(tx, actor, { action: "conversation.import_canceled", resource: `import:${id}` });
    return toImport({ ...row, ...change });
  });
  abortJob(id);
  deleteUpload(id);
  publish({ topic: "conversation-imports", orgId: actor.orgId });
  return canceled;
}

const folder = () => join(dataDir(), "imports");
const fileOf = (id: string) => join(folder(), `${id}.json`);

/** Free space that large uploads leave, checked once for so many of their bytes. */
const LEFT_FREE = 500_000_000;
const CHECK_EVERY = 16_000_000;

/** Stores an upload until its import has ended. @returns its SHA-256 @throws AppError `invalid` for an empty file */
async function keepUpload(id: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  let size = 0;
  const hash = createHash("sha256");
  try {
    const file = await open(fileOf(id), "wx", 0o600);
    try {
      for await (const chunk of bytes) {
        const pieces = Math.floor(size / CHECK_EVERY);
        size += chunk.byteLength;
        if (Math.floor(size / CHECK_EVERY) > pieces && isDiskFull(folder(), LEFT_FREE))
          throw new AppError("unavailable", "The disk has too little space for this file. Ask an admin.");
        hash.update(chunk);
        // `write` may store only a part of it.
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
    if (size === 0)
      throw new AppError("invalid", "Choose a file that isn't empty.", {
        fields: { file: ["Choose a file that isn't empty"] },
      });
    return hash.digest("hex");
  } catch (error) {
    await rm(fileOf(id), { force: true });
    throw error;
  }
}

/** @throws AppError `gone` if the file was deleted, JsonFileError for an archive that can't be read */
export async function openUpload(id: string): Promise<ExportFiles> {
  const facts = await stat(fileOf(id)).catch(() => undefined);
  if (!facts) throw new AppError("gone", "The uploaded file was deleted. Upload it again.");
  return openExport(fileOf(id));
}

export function deleteUpload(id: string): void {
  rmSync(fileOf(id), { force: true });
}

/** Age at which a crashed upload is deleted, in ms. */
const ABANDONED = 24 * 60 * 60_000;

/** Deletes old uploads of imports that no longer run. */
async function sweepUploads(running: ReadonlySet<string>): Promise<void> {
  const names = await readdir(folder()).catch(() => []);
  for (const name of names) {
    const id = name.replace(/\.json$/, "");
    const facts = running.has(id) ? undefined : await stat(fileOf(id)).catch(() => undefined);
    if (facts && Date.now() - facts.mtimeMs > ABANDONED) await rm(fileOf(id), { force: true });
  }
}
