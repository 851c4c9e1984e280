/** Kinds of records in the stream `PowerPoint Document` ([MS-PPT] 2.13.24). */
export const KINDS = {
  document: 0x03e8,
  slideAtom: 0x03ef,
  slideInList: 0x03f3,
  slideShowInfo: 0x03f9,
  list: 0x0ff0,
  outlineText: 0x0f9e,
  textHeader: 0x0f9f,
  wideText: 0x0fa0,
  byteText: 0x0fa8,
  string: 0x0fba,
  headersFooters: 0x0fd9,
  edit: 0x0ff5,
  directory: 0x1772,
  blob: 0x138b,
  comment: 0x2ee0,
  image: 0xf007,
} as const;

export interface PptRecord {
  kind: number;
  /** Tells records of one kind apart. */
  instance: number;
  isContainer: boolean;
  /** Offsets of its content in the stream, in bytes. */
  start: number;
  end: number;
}

const HEADER = 8;

export function recordAt(stream: Buffer, at: number, limit = stream.length): PptRecord | undefined {
  if (at < 0 || at + HEADER > limit) return undefined;
  const version = stream.readUInt16LE(at);
  const start = at + HEADER;
  return {
    kind: stream.readUInt16LE(at + 2),
    instance: version >> 4,
    isContainer: (version & 0xf) === 0xf,
    start,
    end: Math.min(limit, start + stream.readUInt32LE(at + 4)),
  };
}

/** Lists what a container holds. */
export function* recordsIn(stream: Buffer, { start, end }: PptRecord): Generator<PptRecord> {
  for (let record = recordAt(stream, start, end); record; record = recordAt(stream, record.end, end))
    yield record;
}

/** Lists everything within a container in the order of the file, itself left out. Its depth is untrusted. */
export function* recordsBelow(stream: Buffer, container: PptRecord): Generator<PptRecord> {
  const waiting = [{ at: container.start, end: container.end }];
  for (let span = waiting.pop(); span; span = waiting.pop()) {
    const record = recordAt(stream, span.at, span.end);
    if (!record) continue;
    waiting.push({ at: record.end, end: span.end });
    if (record.isContainer || record.kind === KINDS.blob) waiting.push({ at: record.start, end: record.end });
    yield record;
  }
}

export function textIn(stream: Buffer, { kind, start, end }: PptRecord): string {
  return stream.toString(kind === KINDS.byteText ? "latin1" : "utf16le", start, end);
}

/**
 * Finds the newest version of each object: each time the file was saved, a directory of what changed was added.
 * @returns offsets by the object's number, and the number of the document
 */
export function readDirectory(
  stream: Buffer,
  newestEdit: number,
): { offsets: Map<number, number>; document: number } {
  const offsets = new Map<number, number>();
  let document = 0;
  const seen = new Set<number>();
  for (let at = newestEdit; !seen.has(at); ) {
    seen.add(at);
    const edit = recordAt(stream, at);
    if (edit?.kind !== KINDS.edit || edit.end - edit.start < 20) break;
    document ||= stream.readUInt32LE(edit.start + 16);
    const directory = recordAt(stream, stream.readUInt32LE(edit.start + 12));
    if (directory?.kind === KINDS.directory) readOffsets(stream, directory, offsets);
    at = stream.readUInt32LE(edit.start + 8);
  }
  return { offsets, document };
}

function readOffsets(stream: Buffer, { start, end }: PptRecord, offsets: Map<number, number>): void {
  for (let at = start; at + 4 <= end; ) {
    const head = stream.readUInt32LE(at);
    at += 4;
    for (
      let number = head & 0xfffff;
      at + 4 <= end && number < (head & 0xfffff) + (head >>> 20);
      number += 1
    ) {
      if (!offsets.has(number)) offsets.set(number, stream.readUInt32LE(at));
      at += 4;
    }
  }
}
