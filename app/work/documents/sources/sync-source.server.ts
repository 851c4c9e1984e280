import { createHash } from "node:crypto";
import type { Actor } from "~/core/actor";
import { yieldToEventLoop } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { AppError, type ErrorCode } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import type { JobContext } from "~/platform/jobs/job-kind.service.server";
import { may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";
import { refusalOfFile } from "~/work/extraction/formats.shared";
import { systemActor } from "~/work/index/system-actor.server";
import { assertRagEnabled } from "../access/document-access.server";
import { findDocumentRow } from "../document-rows.repo.server";
import type { DocumentRow } from "../documents.repo.server";
import { addDocumentVersion } from "../ingestion/document-versions.service.server";
import { cleanFileName } from "../ingestion/names.service.server";
import { receiveFile } from "../ingestion/upload.service.server";
import { discardDocument, findIngestion } from "../jobs/document-jobs.server";
import type { IngestTarget } from "../jobs/job";
import { findVersion } from "../versions/versions.repo.server";
import { openSource } from "./kinds/index.server";
import { isSafePath, type Listing, type OpenSource, type SourceEntry } from "./kinds/source-kind.server";
import { removeSourceDocument } from "./removal.server";
import { forEachFile, retarget } from "./retarget.server";
import type { SyncResult } from "./source.schema";
import type { SourceFileRow, SourceRow } from "./sources.repo.server";
import * as repo from "./sources.repo.server";
import { sourceDetails } from "./sources.service.server";

/** Files after which the event loop has a turn, and the state is kept. */
const BATCH = 50;
/** Failures in a row after which the place counts as unavailable. */
const MAX_FAILURES = 5;
/** Time for which removed files are listed (ms). */
const REMOVED_KEPT = 30 * DAY;
const MB = 1_000_000;

/** Errors of one file; others end the sync. */
const OF_FILE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "invalid",
  "unprocessable",
  "unsupported_media",
  "too_large",
  "not_found",
  "gone",
  "conflict",
  // Of one object; a key that is refused altogether can't list.
  "provider_key",
  "provider_unavailable",
  "provider_timeout",
  "unavailable",
]);

/** Errors that the same content has again. */
const OF_CONTENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unsupported_media", "too_large"]);

const EMPTY = "The file is empty";
const PROCESSED = "Its document is still being processed. The next sync reads it again.";
const EMPTIED =
  "The source's place has no files at all, so nothing was removed. To remove its documents, delete the source.";
const INTERRUPTED = "The transfer was interrupted. The next sync repeats it.";

/** A path as its row has it: the same, unless it can't be used. */
const shownPath = (path: string) =>
  path
    .slice(0, 1000)
    .toWellFormed()
    .replace(/\p{Cc}/gu, "\ufffd");

/** Who adds the documents: its owner, with their role of now. @throws AppError `forbidden` */
function ownerOf({ orgId, createdBy: userId }: SourceRow): Actor {
  const role = roleOf(db(), orgId, userId);
  if (role && may({ role }, "sources.manage")) return { kind: "user", userId, orgId, role };
  throw new AppError("forbidden", "The owner of this source can no longer manage sources.");
}

type SyncContext = Pick<
  JobContext<{ sourceId: string }>,
  "input" | "signal" | "progress" | "saveCheckpoint" | "succeed"
>;

/**
 * Brings the documents of a source up to date with its files. Each file's state is kept with its document, so another
 * attempt goes on where this one ended.
 * @throws AppError if the place can't be listed; errors of single files are kept with them
 */
export async function syncSource(context: SyncContext): Promise<void> {
  const source = repo.findSource(db(), context.input.sourceId);
  if (!source) return;
  const owner = ownerOf(source);
  assertRagEnabled(source.orgId);
  // The change's own job does it first, unless who made the change lost their role meanwhile.
  if (source.isRetargeted) await retarget(source, owner, context.signal);
  const place = openSource(source);
  try {
    const since = repo.hasUnsettledFiles(db(), source.id) ? null : source.cursor;
    const listing = await place.list({ limit: source.maxFiles, since, signal: context.signal });
    const sync = new Sync(source, owner, place, context);
    // An unmounted folder or a wrong address, rather than a place that lost all of its files at once.
    if (listing?.isComplete && listing.entries.length === 0 && repo.hasDocuments(db(), source.id))
      throw new AppError("unprocessable", EMPTIED);
    if (listing) {
      // Until it is finished, the documents are of no one state of the place.
      transaction((tx) => repo.updateSourceRow(tx, source.id, { cursor: null }));
      await sync.apply(listing);
    }
    sync.finish(listing);
  } finally {
    await place.close();
  }
}

class Sync {
  readonly #counts = { added: 0, updated: 0, removed: 0, unchanged: 0, skipped: 0, failed: 0 };
  #bytes = 0;
  #failures = 0;

  constructor(
    readonly source: SourceRow,
    readonly owner: Actor,
    readonly place: OpenSource,
    readonly context: SyncContext,
  ) {}

  async apply({ entries, skipped = [], isComplete }: Listing): Promise<void> {
    const { signal, progress, saveCheckpoint } = this.context;
    const listed = new Set<string>();
    for (const [at, entry] of entries.entries()) {
      signal.throwIfAborted();
      progress({ done: at, total: entries.length });
      const path = shownPath(entry.path);
      if (!listed.has(path)) await this.#followSafely(entry);
      listed.add(path);
      if (at % BATCH !== 0) continue;
      saveCheckpoint({ at }, { mayBeLost: true });
      await yieldToEventLoop();
    }
    for (const { path, reason } of skipped) {
      const entry = { path: shownPath(path), etag: "", size: null, link: null };
      this.#skip(entry, repo.findFile(db(), this.source.id, entry.path), reason, null);
    }
    if (isComplete) await forEachFile(this.source.id, signal, (file) => this.#followAbsence(file, listed));
  }

  finish(listing: Listing | undefined): void {
    const { id, orgId, cursor } = this.source;
    const result: SyncResult = {
      at: now(),
      error: null,
      ...this.#counts,
      isComplete: listing?.isComplete ?? true,
    };
    transaction((tx) => {
      const source = repo.findSource(tx, id);
      if (!source || !this.context.succeed(tx)) return;
      repo.updateSourceRow(tx, id, {
        lastSync: result,
        cursor: listing ? (listing.isComplete ? listing.cursor : null) : cursor,
      });
      const { added, updated, removed } = result;
      if (added + updated + removed === 0) return;
      append(tx, systemActor(orgId), {
        action: "source.synced",
        resource: `source:${id}`,
        details: { ...sourceDetails(source), added, updated, removed },
      });
    });
  }

  get #target(): IngestTarget {
    const { categoryId, visibility, readers } = this.source;
    return { categoryId, visibility, readers, refreshEvery: null };
  }

  #save(path: string, fields: Omit<Parameters<typeof repo.saveFile>[2], "changedAt">): void {
    transaction((tx) =>
      repo.saveFile(tx, { sourceId: this.source.id, path }, { ...fields, changedAt: now() }),
    );
  }

  #skip(entry: SourceEntry, file: SourceFileRow | undefined, reason: string, etag: string | null): void {
    this.#counts.skipped += 1;
    const { size, link } = entry;
    if (
      file?.state === "skipped" &&
      file.reason === reason &&
      file.etag === etag &&
      file.missingSince === null
    )
      return;
    // A document of before stays as it was.
    this.#save(entry.path, { state: "skipped", reason, etag, size, link, missingSince: null });
  }

  #fail({ path, size, link }: SourceEntry, reason: string): void {
    this.#counts.failed += 1;
    this.#save(path, { state: "failed", reason, etag: null, size, link, missingSince: null });
  }

  async #followSafely(entry: SourceEntry): Promise<void> {
    try {
      await this.#follow(entry);
      this.#failures = 0;
    } catch (error) {
      this.context.signal.throwIfAborted();
      if (!(error instanceof AppError && OF_FILE.has(error.code))) throw error;
      if (OF_CONTENT.has(error.code)) {
        const file = repo.findFile(db(), this.source.id, entry.path);
        this.#skip(entry, file, error.message, entry.etag);
        return;
      }
      this.#fail(entry, error.message);
      this.#failures += 1;
      if (this.#failures >= MAX_FAILURES)
        throw new AppError(
          "unavailable",
          `${MAX_FAILURES} files in a row failed. The last one: ${error.message}`,
          { cause: error },
        );
    }
  }

  async #follow(entry: SourceEntry): Promise<void> {
    const { etag, size } = entry;
    if (!isSafePath(entry.path)) {
      const shown = shownPath(entry.path);
      const file = repo.findFile(db(), this.source.id, shown);
      return this.#skip({ ...entry, path: shown }, file, "Its name can't be used", etag);
    }
    const { path } = entry;
    const file = repo.findFile(db(), this.source.id, path);
    if (file?.etag === etag && (file.state === "current" || file.state === "skipped")) {
      if (file.state === "current") this.#bytes += size ?? file.size ?? 0;
      this.#counts[file.state === "current" ? "unchanged" : "skipped"] += 1;
      if (file.missingSince !== null || file.link !== entry.link)
        transaction((tx) => repo.updateFile(tx, file, { missingSince: null, link: entry.link }));
      return;
    }
    const refusal = refusalOfFile({ name: path, type: "" });
    if (refusal) return this.#skip(entry, file, refusal, etag);
    if (size === 0) return this.#skip(entry, file, EMPTY, etag);
    if (this.#bytes + (size ?? file?.size ?? 0) > this.source.maxMb * MB)
      return this.#skip(entry, file, `The source has more than its limit of ${this.source.maxMb} MB`, null);
    // One of unknown size is counted once it is there.
    this.#bytes += size ?? 0;
    const document = file?.documentId ? findDocumentRow(db(), file.documentId) : undefined;
    if (document && document.deletedAt === null) await this.#update(entry, document);
    else await this.#add(entry);
  }

  /** What a file's row says once its document has the content. */
  #current({ etag, size, link }: SourceEntry) {
    return {
      state: "current",
      reason: null,
      etag,
      size,
      link,
      missingSince: null,
      changedAt: now(),
    } as const;
  }

  async #add(entry: SourceEntry): Promise<void> {
    const { path, link } = entry;
    const key = { sourceId: this.source.id, path };
    const { signal } = this.context;
    const bytes = await this.place.fetch(entry, signal);
    let added: string | undefined;
    const discard = () => {
      const notify = transaction((tx) => {
        repo.updateFile(tx, key, { documentId: null });
        return added ? discardDocument(tx, this.owner, added) : () => undefined;
      });
      notify();
    };
    const mirrored: NonNullable<Parameters<typeof receiveFile>[1]["mirrored"]> = {
      onAdded(tx, documentId) {
        // Changed meanwhile, the source may be for fewer people.
        signal.throwIfAborted();
        added = documentId;
        const fields = {
          state: "failed",
          reason: INTERRUPTED,
          etag: null,
          link,
          missingSince: null,
        } as const;
        repo.saveFile(tx, key, { ...fields, documentId, changedAt: now() });
      },
      onReceived: (tx, size) => {
        if (entry.size === null) this.#bytes += size;
        repo.updateFile(tx, key, this.#current({ ...entry, size }));
      },
    };
    const file = { name: cleanFileName(path), source: path, contentType: "", target: this.#target, mirrored };
    try {
      const { error } = await receiveFile(this.owner, file, bytes, signal);
      if (error !== null) throw new AppError("too_large", error);
    } catch (error) {
      // Stopped by the console's end, the sync goes on with it.
      if (!signal.aborted) discard();
      throw error;
    }
    this.#counts.added += 1;
  }

  async #update(entry: SourceEntry, document: DocumentRow): Promise<void> {
    const key = { sourceId: this.source.id, path: entry.path };
    // Not a failure of the place.
    if (findIngestion(db(), document.id)) return this.#fail(entry, PROCESSED);
    const { signal } = this.context;
    const hash = createHash("sha256");
    let size = 0;
    async function* hashed(bytes: AsyncIterable<Uint8Array>) {
      for await (const piece of bytes) {
        hash.update(piece);
        size += piece.length;
        yield piece;
      }
    }
    const bytes = hashed(await this.place.fetch(entry, signal));
    const content = { fileName: entry.path, contentType: "", bytes };
    try {
      await addDocumentVersion(this.owner, document.id, content, signal, (tx) => {
        if (entry.size === null) this.#bytes += size;
        repo.updateFile(tx, key, this.#current({ ...entry, size }));
      });
      this.#counts.updated += 1;
    } catch (error) {
      const active = document.versionId ? findVersion(db(), document.versionId) : undefined;
      const isSame =
        error instanceof AppError && error.code === "conflict" && active?.sha256 === hash.digest("hex");
      if (!isSame) throw error;
      const { changedAt: _, ...current } = this.#current({ ...entry, size });
      transaction((tx) => repo.updateFile(tx, key, current));
      this.#counts.unchanged += 1;
    }
  }

  #followAbsence(file: SourceFileRow, listed: ReadonlySet<string>): void {
    const { id, graceDays } = this.source;
    if (listed.has(file.path)) return;
    const at = now();
    if (file.state === "removed") {
      if (at - file.changedAt > REMOVED_KEPT) transaction((tx) => repo.deleteFile(tx, id, file.path));
      return;
    }
    const { documentId } = file;
    if (documentId === null) {
      transaction((tx) => repo.deleteFile(tx, id, file.path));
      return;
    }
    const missingSince = file.missingSince ?? at;
    if (at - missingSince < graceDays * DAY) {
      if (file.missingSince === null) transaction((tx) => repo.updateFile(tx, file, { missingSince }));
      return;
    }
    const notify = transaction((tx) => {
      const removed = {
        state: "removed",
        reason: null,
        etag: null,
        missingSince: null,
        changedAt: at,
      } as const;
      repo.updateFile(tx, file, removed);
      return removeSourceDocument(tx, this.owner, documentId, at);
    });
    notify();
    this.#counts.removed += 1;
  }
}
