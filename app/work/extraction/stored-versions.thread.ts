import Database from "better-sqlite3";
import { cutIndex } from "~/core/well-formed";
import type { Block, ReadDocument, TextPiece } from "./document.schema";

/** Approximate length of a stored piece, in characters. */
const PIECE_LENGTH = 50_000;

function read<T>(file: string, work: (raw: Database.Database) => T): T {
  const raw = new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    return work(raw);
  } finally {
    raw.close();
  }
}

export function readBytes(file: string, versionId: string): Uint8Array {
  return read(file, (raw) => {
    const parts = raw
      .prepare<[string], Buffer>("SELECT bytes FROM document_parts WHERE version_id = ? ORDER BY position")
      .pluck()
      .all(versionId) as Buffer[];
    return Buffer.concat(parts);
  });
}

/** What was recognized of a version's pages, by their number; null for a page that can't be read. */
export function readRecognizedPages(file: string, versionId: string): Map<number, string | null> {
  const rows = read(file, (raw) =>
    raw
      .prepare<[string], { page: number; text: string | null }>(
        "SELECT page, text FROM recognized_pages WHERE version_id = ?",
      )
      .all(versionId),
  );
  return new Map(rows.map(({ page, text }) => [page, text]));
}

export function readPieces(file: string, versionId: string): TextPiece[] {
  return read(file, (raw) =>
    raw
      .prepare<[string], TextPiece>(
        "SELECT start, text, blocks FROM document_texts WHERE version_id = ? ORDER BY position",
      )
      .all(versionId),
  );
}

function findCut(text: string, from: number, max: number): number {
  const window = text.slice(from, max);
  for (const mark of ["\n", " "]) {
    const at = window.lastIndexOf(mark);
    if (at > window.length / 2) return from + at + 1;
  }
  return cutIndex(text, max);
}

/** Splits blocks longer than a piece; all parts but the first are `continued`. */
function* boundedBlocks({ text, blocks }: ReadDocument): Generator<Block> {
  for (const block of blocks) {
    let { start } = block;
    while (block.end - start > PIECE_LENGTH) {
      const end = findCut(text, start, start + PIECE_LENGTH);
      yield { ...block, start, end, ...(start > block.start ? { continued: true } : {}) };
      start = end;
    }
    yield { ...block, start, ...(start > block.start ? { continued: true } : {}) };
  }
}

export function cutPieces(document: ReadDocument): TextPiece[] {
  const groups: Block[][] = [];
  for (const block of boundedBlocks(document)) {
    const group = groups.at(-1);
    const start = group?.[0]?.start ?? 0;
    if (group && block.end - start <= PIECE_LENGTH) group.push(block);
    else groups.push([block]);
  }
  return groups.map((group, at) => {
    const start = at === 0 ? 0 : (group[0]?.start ?? 0);
    const end = groups[at + 1]?.[0]?.start ?? document.text.length;
    return { start, text: document.text.slice(start, end), blocks: JSON.stringify(group) };
  });
}

export function joinPieces(
  pieces: readonly Pick<TextPiece, "text" | "blocks">[],
): Pick<ReadDocument, "text" | "blocks"> {
  const blocks: Block[] = [];
  for (const piece of pieces) {
    for (const { continued, ...block } of JSON.parse(piece.blocks) as Block[]) {
      const last = blocks.at(-1);
      if (continued && last) last.end = block.end;
      else blocks.push(block);
    }
  }
  return { text: pieces.map((piece) => piece.text).join(""), blocks };
}
