import { z } from "zod";
import type { Actor } from "~/core/actor";
import { KeyNumber, keyset } from "~/core/cursor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { listChunkRows } from "~/work/index/chunks.repo.server";
import { findActiveIndex } from "~/work/index/indexes.repo.server";
import { requireDocument } from "../access/document-access.server";
import type { PartQuery } from "../document-input.schema";
import { type DocumentChunk, type DocumentVersion, TextBlock, type TextPage } from "../document-view.schema";
import type { DocumentRow } from "../documents.repo.server";
import { findPart, findTextRowByOffset, findTextRowByPosition } from "./document-parts.repo.server";
import { originalName } from "./original-name";
import { toVersion } from "./version-view.server";
import { findShownVersion, findVersionByNumber, pageVersions, type VersionRow } from "./versions.repo.server";

const Blocks = z.array(TextBlock);

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
    previous: findTextRowByPosition(db(), version.id, position - 1)?.start ?? null,
    next: findTextRowByPosition(db(), version.id, position + 1)?.start ?? null,
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

export interface Original {
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
  return { name: originalName(document, version), size: version.size, pieces: piecesOf(version.id) };
}

function* piecesOf(versionId: string): Generator<Uint8Array> {
  for (let position = 0; ; position++) {
    const bytes = findPart(db(), versionId, position);
    if (!bytes) return;
    yield bytes;
  }
}
