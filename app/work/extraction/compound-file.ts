/** Office's container before 2007 (OLE2), as [MS-CFB] describes it: a file system in sectors. */
const SIGNATURE = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const HEADER = 512;
const ENTRY = 128;
/** Sectors of the allocation table that the header names. */
const TABLE_SECTORS = 109;
/** Streams that are shorter stand in sectors of 64 bytes of their own stream. */
const SHORT_SECTOR = 64;
const MAX_ENTRIES = 100_000;
const [STORAGE, STREAM] = [1, 2];
/** Larger than any sector's or entry's number. */
const NONE = 0xffffffff;

interface Entry {
  name: string;
  type: number;
  links: number[];
  child: number;
  sector: number;
  size: number;
}

/** Whether one of many chains, given by each element's follower, comes back to itself. */
function isCircular(length: number, next: (at: number) => number): boolean {
  /** Number of the walk that passed each element. */
  const walks = new Uint32Array(length);
  for (let walk = 1; walk <= length; walk++) {
    let at = walk - 1;
    for (; at < length && walks[at] === 0; at = next(at)) walks[at] = walk;
    if (walks[at] === walk) return true;
  }
  return false;
}

/** Reads sectors. Chains are untrusted: one ends where it leaves the file or is longer than the file. */
class Sectors {
  readonly #file: Buffer;
  readonly #length: number;
  readonly #table: number[] = [];

  constructor(file: Buffer) {
    this.#file = file;
    this.#length = file.readUInt16LE(30) === 12 ? 4096 : 512;
    for (let at = 0; at < TABLE_SECTORS; at++) this.#table.push(file.readUInt32LE(76 + at * 4));
    const perSector = this.#length / 4 - 1;
    const max = file.length / this.#length;
    let sector = file.readUInt32LE(68);
    // One that follows itself ends where it names more sectors than the file has.
    while (this.#table.length < max && this.#isWithin(sector)) {
      for (let at = 0; at < perSector; at++) this.#table.push(this.#numberAt(sector, at));
      sector = this.#numberAt(sector, perSector);
    }
  }

  /** @param size in bytes; the whole chain if it isn't known */
  read(first: number, size = Number.POSITIVE_INFINITY): Buffer {
    const pieces: Buffer[] = [];
    let length = 0;
    const max = Math.min(size, this.#file.length);
    for (let sector = first; length < max && this.#isWithin(sector); sector = this.next(sector)) {
      const start = this.#start(sector);
      pieces.push(this.#file.subarray(start, start + this.#length));
      length += this.#length;
    }
    return Buffer.concat(pieces).subarray(0, max);
  }

  next(sector: number): number {
    const perSector = this.#length / 4;
    return this.#numberAt(this.#table[Math.floor(sector / perSector)] ?? NONE, sector % perSector);
  }

  get isCircular(): boolean {
    return isCircular(Math.ceil(this.#file.length / this.#length) - 1, (sector) => this.next(sector));
  }

  #start(sector: number): number {
    return (sector + 1) * this.#length;
  }

  #isWithin(sector: number): boolean {
    return this.#start(sector) < this.#file.length;
  }

  #numberAt(sector: number, at: number): number {
    const start = this.#start(sector) + at * 4;
    return start + 4 <= this.#file.length ? this.#file.readUInt32LE(start) : NONE;
  }
}

function readEntries(directory: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY <= directory.length; at += ENTRY) {
    const nameLength = Math.min(64, Math.max(2, directory.readUInt16LE(at + 64)));
    entries.push({
      name: directory.toString("utf16le", at, at + nameLength - 2),
      type: directory[at + 66] ?? 0,
      links: [directory.readUInt32LE(at + 68), directory.readUInt32LE(at + 72)],
      child: directory.readUInt32LE(at + 76),
      sector: directory.readUInt32LE(at + 116),
      size: directory.readUInt32LE(at + 120),
    });
  }
  return entries;
}

/** The streams at the top of a compound file; those of embedded documents lie deeper. */
export class CompoundFile {
  /** Of the streams and storages at the top, which say what the file is: `Workbook`, `WordDocument`. */
  readonly names = new Set<string>();
  readonly #file: Buffer;
  readonly #sectors: Sectors;
  readonly #streams = new Map<string, Entry>();
  readonly #root: Entry | undefined;
  #short: Buffer | undefined;

  constructor(bytes: Uint8Array) {
    this.#file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#sectors = new Sectors(this.#file);
    const entries = readEntries(this.#sectors.read(this.#file.readUInt32LE(48), MAX_ENTRIES * ENTRY));
    this.#root = entries[0];
    const open = [this.#root?.child ?? NONE];
    const seen = new Set<number>();
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const entry = entries[at];
      if (!entry || seen.has(at)) continue;
      seen.add(at);
      if (entry.type === STORAGE || entry.type === STREAM) this.names.add(entry.name);
      if (entry.type === STREAM) this.#streams.set(entry.name, entry);
      open.push(...entry.links);
    }
  }

  /** Whether a chain of sectors runs in a circle, in which libraries read without end. */
  get isCircular(): boolean {
    const table = this.#shortTable();
    return (
      this.#sectors.isCircular || isCircular(table.length >> 2, (sector) => table.readUInt32LE(sector * 4))
    );
  }

  has(name: string): boolean {
    return this.#streams.has(name);
  }

  /** @returns an empty buffer for a stream that isn't there */
  read(name: string): Buffer {
    const entry = this.#streams.get(name);
    if (!entry) return Buffer.alloc(0);
    const isShort = entry.size < this.#file.readUInt32LE(56);
    return isShort ? this.#readShort(entry) : this.#sectors.read(entry.sector, entry.size);
  }

  #shortTable(): Buffer {
    return this.#sectors.read(this.#file.readUInt32LE(60));
  }

  #readShort({ sector: first, size }: Entry): Buffer {
    this.#short ??= this.#sectors.read(this.#root?.sector ?? NONE);
    const table = this.#shortTable();
    const pieces: Buffer[] = [];
    let sector = first;
    for (let length = 0; length < size && sector * 4 + 4 <= table.length; length += SHORT_SECTOR) {
      pieces.push(this.#short.subarray(sector * SHORT_SECTOR, (sector + 1) * SHORT_SECTOR));
      sector = table.readUInt32LE(sector * 4);
    }
    return Buffer.concat(pieces).subarray(0, size);
  }
}

/** @returns undefined for any other file */
export function openCompoundFile(bytes: Uint8Array): CompoundFile | undefined {
  const start = Buffer.from(bytes.subarray(0, SIGNATURE.length)).toString("latin1");
  return start === SIGNATURE && bytes.length >= HEADER ? new CompoundFile(bytes) : undefined;
}
