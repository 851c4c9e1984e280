import { z } from "zod";
import type { Actor } from "~/core/actor";
import { KeyNumber, keyset } from "~/core/cursor";
import { db } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { Block, Facts } from "~/work/extraction/document.schema";
import { mediaTypeOf } from "~/work/extraction/format";
import { drawPage } from "~/work/extraction/read-document.service.server";
import { listChunkRows } from "~/work/index/chunks.repo.server";
import { findActiveIndex } from "~/work/index/indexes.repo.server";
import { requireDocument } from "../access/document-access.server";
import type { PartQuery } from "../document-input.schema";
import type { DocumentRow } from "../documents.repo.server";
import { type DocumentChunk, DocumentVersion, type TextPage } from "../documents.schema";
import {
  findPart,
  findShownVersion,
  findTextRowByOffset,
  findTextStart,
  findVersionByNumber,
  pageVersions,
  type VersionRow,
} from "./versions.repo.server";

const Blocks = z.array(Block);

/** @throws AppError `not_found` for a hidden document or a missing version */
function requireVersion(
  actor: Actor,
  id: string,
  number?: number,
): { document: DocumentRow; version: VersionRow | undefined } {
  authorise(actor, "screens.read");
  const { document } = requireDocument(db(), actor, id);
  if (number === undefined) return { document, version: findShownVersion(db(), document) };
  const version = findVersionByNumber(db(), id, number);
  if (!version) throw new AppError("not_found", "Version not found. It may have been removed.");
  return { document, version };
}

export function readText(
  actor: Actor,
  id: string,
  { from, version: number }: { from: number; version?: number | undefined },
): TextPage {
  const { version } = requireVersion(actor, id, number);
  const row = version && findTextRowByOffset(db(), version.id, from);
  if (!version || !row) {
    return { start: 0, end: 0, length: 0, text: "", blocks: [], previous: null, next: null };
  }
  const { start, text, position } = row;
  const end = start + text.length;
  return {
    start,
    end,
    length: Math.max(version.textLength ?? 0, end),
    text,
    blocks: Blocks.parse(JSON.parse(row.blocks)),
    previous: findTextStart(db(), version.id, position - 1) ?? null,
    next: findTextStart(db(), version.id, position + 1) ?? null,
  };
}

const chunkPages = keyset(z.object({ position: KeyNumber }));
const versionPages = keyset(z.object({ number: KeyNumber }));

export function listDocumentChunks(
  actor: Actor,
  id: string,
  { limit, cursor }: PartQuery,
): { chunks: DocumentChunk[]; next?: string } {
  const { document, version } = requireVersion(actor, id);
  const after = chunkPages.decode(cursor)?.position;
  const index = findActiveIndex(db(), document.orgId, document.collection);
  const results = version && index ? listChunkRows(db(), index.chunkSetId, version.id, limit + 1, after) : [];
  const { rows, ...next } = chunkPages.page(results, limit, ({ position }) => ({ position }));
  return { chunks: rows, ...next };
}

export function listVersions(
  actor: Actor,
  id: string,
  { limit, cursor }: PartQuery,
): { versions: DocumentVersion[]; next?: string } {
  requireVersion(actor, id);
  const results = pageVersions(db(), id, limit + 1, versionPages.decode(cursor)?.number);
  const { rows, ...next } = versionPages.page(results, limit, ({ number }) => ({ number }));
  return { versions: rows.map(toVersion), ...next };
}

interface Original {
  name: string;
  size: number;
  /** In pieces, so that reading doesn't block the event loop. */
  pieces: Iterable<Uint8Array>;
}

/** A version's original bytes. @throws AppError `not_found`; `conflict` while its upload is running */
export function readOriginal(actor: Actor, id: string, number?: number): Original {
  const { document, version } = requireVersion(actor, id, number);
  if (!version?.sha256) {
    throw new AppError("conflict", "The upload isn't complete yet. Try again in a moment.");
  }
  return { name: originalName(document, version), size: version.size, pieces: storedPieces(version.id) };
}

/**
 * Draws a page of a version's PDF. @param page from 1 @returns PNG, and a tag that changes with it
 * @throws AppError `not_found` if there is no such page
 */
export async function readPagePicture(
  actor: Actor,
  { id, page, version: number }: { id: string; page: number; version?: number | undefined },
  signal?: AbortSignal,
): Promise<{ name: string; mediaType: string; bytes: Uint8Array; tag: string }> {
  const { document, version } = requireVersion(actor, id, number);
  if (!version?.sha256 || Facts.parse(version.facts).format !== "PDF")
    throw new AppError("not_found", "Only pages of PDF documents are shown as pictures.");
  const bytes = await drawPage({ versionId: version.id, page }, signal);
  const name = `${originalName(document, version)}-${page}.png`;
  return { name, mediaType: "image/png", bytes, tag: `${version.sha256}-${page}` };
}

/** A version's original bytes, in pieces. */
export function* storedPieces(versionId: string): Generator<Uint8Array> {
  for (let position = 0; ; position++) {
    const part = findPart(db(), versionId, position);
    if (!part) return;
    yield part.bytes;
  }
}

export function toVersion(row: VersionRow): DocumentVersion {
  const servedAt = row.servedAt === null ? null : isoTime(row.servedAt);
  return DocumentVersion.parse({ ...row, createdAt: isoTime(row.createdAt), servedAt });
}

const ENDINGS: Record<string, string> = {
  "text/html": ".html",
  "application/xhtml+xml": ".html",
  "application/pdf": ".pdf",
  "text/markdown": ".md",
  "text/csv": ".csv",
  "application/json": ".json",
  "text/plain": ".txt",
};
/** In characters; file systems take 255 bytes. */
const NAME_MAX = 120;

export function originalName(
  document: { name: string; type: "text" | "url" | "file" },
  version: { fileName: string | null; contentType: string },
): string {
  const type = mediaTypeOf(version.contentType);
  const typeEnding = document.type === "text" ? ".txt" : (ENDINGS[type] ?? "");
  // Without the path in the archive or message that it came in.
  const fullName = (version.fileName?.split("/").at(-1) || document.name)
    .replaceAll(/[\p{C}/\\:*?"<>|%]+/gu, "-")
    .replace(/^[.\s-]+/, "");
  const nameEnding = /\.[A-Za-z0-9]{1,8}$/.exec(fullName)?.[0] ?? "";
  const isOwnEnding = version.fileName || nameEnding.toLowerCase() === typeEnding;
  const ending = nameEnding && isOwnEnding ? nameEnding : typeEnding;
  const stem = fullName.endsWith(ending) ? fullName.slice(0, fullName.length - ending.length) : fullName;
  return `${[...stem].slice(0, NAME_MAX).join("").trim() || "document"}${ending}`;
}
