import { MAX_FILE_BYTES } from "../extraction/formats.schema";

/** A file that a person chose or dropped. */
export interface PickedFile {
  file: File;
  /** Its name with the folders it was dropped in. */
  path: string;
}

/** What no text is in. Of everything else the server reads what it is. */
const NO_TEXT =
  /^(?:image|audio|video|font)\/|[/-](?:zip|x-tar|gzip|x-7z-compressed|vnd\.rar)(?:-compressed)?$/;

/** Why a file can't be uploaded, for a person; nothing where it can. */
export function problemOfFile(file: Pick<File, "type" | "size">): string | undefined {
  if (NO_TEXT.test(file.type)) return "No text can be read from this type";
  if (file.size > MAX_FILE_BYTES) return `Larger than ${MAX_FILE_BYTES / 1_000_000} MB`;
  if (file.size === 0) return "Empty";
  return undefined;
}

/** Adds files to those there are; the same one again counts once. */
export function addFiles(there: readonly PickedFile[], more: readonly PickedFile[]): PickedFile[] {
  const keyOf = ({ path, file }: PickedFile) => `${path} ${file.size} ${file.lastModified}`;
  const known = new Set(there.map(keyOf));
  const added = more.filter((one) => {
    const key = keyOf(one);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
  return [...there, ...added];
}

/** What the system puts into folders by itself. */
const SYSTEM = /^(?:\.|thumbs\.db$|desktop\.ini$|~\$)/i;
/** As many as one drop may bring. */
export const MOST_DROPPED = 2000;
/** As many more are counted: a whole disk would never end. */
const COUNTED = 20_000;

/** What a drop brought, and how many more files there were than are taken at once, if only so many were counted. */
export interface Dropped {
  files: PickedFile[];
  leftOut: number;
}

/** The files of a file input, with their folders where one was chosen. */
export function filesOfInput(input: HTMLInputElement): PickedFile[] {
  return [...(input.files ?? [])]
    .filter(({ name }) => !SYSTEM.test(name))
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

/**
 * The files that were dropped, those in folders among them.
 * https://developer.mozilla.org/docs/Web/API/DataTransferItem/webkitGetAsEntry
 */
export async function filesOfDrop(transfer: DataTransfer): Promise<Dropped> {
  // Before anything is waited for: the items are gone with the event.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0)
    return { files: [...transfer.files].map((file) => ({ file, path: file.name })), leftOut: 0 };
  const found: Dropped = { files: [], leftOut: 0 };
  for (const entry of entries) await walk(entry, found);
  return found;
}

async function walk(entry: FileSystemEntry, found: Dropped): Promise<void> {
  if (found.leftOut >= COUNTED || SYSTEM.test(entry.name)) return;
  if (isFile(entry)) {
    if (found.files.length >= MOST_DROPPED) {
      found.leftOut += 1;
      return;
    }
    const file = await new Promise<File>((done, failed) => entry.file(done, failed));
    found.files.push({ file, path: entry.fullPath.replace(/^\//, "") });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // It hands over a hundred at a time, and an empty list at the end.
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return;
    for (const child of some) await walk(child, found);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
