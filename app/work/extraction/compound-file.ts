/** Office's container before 2007 (OLE2), as [MS-CFB] describes it: a file system in sectors. */
const SIGNATURE = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const ENTRY_LENGTH = 128;
const HEADER_LENGTH = 512;
/** By their power of two. */
const SECTOR_LENGTHS = new Map([
  [9, 512],
  [12, 4096],
]);
/** Sectors of the allocation table that the header names. */
const TABLE_SECTORS = 109;
const MAX_ENTRIES = 100_000;
/** Larger than any sector's or entry's number. */
const NONE = 0xffffffff;
const [STORAGE, STREAM] = [1, 2];

interface Entry {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
}

const isCompoundFile = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, SIGNATURE.length)).toString("latin1") === SIGNATURE;

/** Follows chains of sectors. Forged numbers end a chain. */
function chainsOf(file: Buffer, sectorLength: number) {
  const perSector = sectorLength / 4;
  const startOf = (sector: number) => (sector + 1) * sectorLength;
  const isWithin = (sector: number) => startOf(sector) + sectorLength <= file.length;
  const numberAt = (sector: number, at: number) =>
    isWithin(sector) ? file.readUInt32LE(startOf(sector) + at * 4) : NONE;
  /** The header names the first sectors of the table, and a chain of sectors those of files above 7 MB. */
  const tableSector = (at: number) => {
    if (at < TABLE_SECTORS) return file.readUInt32LE(76 + at * 4);
    let [sector, rest] = [file.readUInt32LE(68), at - TABLE_SECTORS];
    for (; rest >= perSector - 1; rest -= perSector - 1) sector = numberAt(sector, perSector - 1);
    return numberAt(sector, rest);
  };
  return {
    startOf,
    isWithin,
    next: (sector: number) => numberAt(tableSector(Math.floor(sector / perSector)), sector % perSector),
  };
}

function readEntries(file: Buffer): Entry[] {
  const sectorLength = SECTOR_LENGTHS.get(file.readUInt16LE(30));
  if (!sectorLength) return [];
  const { startOf, isWithin, next } = chainsOf(file, sectorLength);
  const entries: Entry[] = [];
  let sector = file.readUInt32LE(48);
  for (; isWithin(sector) && entries.length < MAX_ENTRIES; sector = next(sector)) {
    const start = startOf(sector);
    for (let at = start; at < start + sectorLength; at += ENTRY_LENGTH) {
      const nameLength = Math.min(64, Math.max(2, file.readUInt16LE(at + 64)));
      entries.push({
        name: file.toString("utf16le", at, at + nameLength - 2),
        type: file[at + 66] ?? 0,
        left: file.readUInt32LE(at + 68),
        right: file.readUInt32LE(at + 72),
        child: file.readUInt32LE(at + 76),
      });
    }
  }
  return entries;
}

/**
 * Lists the streams and storages at the top of a compound file, which say what it is: `Workbook`, `WordDocument`. Those of
 * embedded documents lie deeper.
 */
export function listRootEntries(bytes: Uint8Array): Set<string> {
  const names = new Set<string>();
  if (!isCompoundFile(bytes) || bytes.length < HEADER_LENGTH) return names;
  const entries = readEntries(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const open = [entries[0]?.child ?? NONE];
  const seen = new Set<number>();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entry = entries[at];
    if (!entry || seen.has(at)) continue;
    seen.add(at);
    if (entry.type === STORAGE || entry.type === STREAM) names.add(entry.name);
    open.push(entry.left, entry.right);
  }
  return names;
}
