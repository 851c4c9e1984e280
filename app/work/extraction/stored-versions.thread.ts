import Database from "better-sqlite3";
import type { TextPiece } from "./document";

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

/** As extracted. */
export function readPieces(file: string, versionId: string): TextPiece[] {
  return read(file, (raw) =>
    raw
      .prepare<[string], TextPiece>(
        "SELECT start, text, blocks FROM document_texts WHERE version_id = ? ORDER BY position",
      )
      .all(versionId),
  );
}
