import { countOf } from "~/ui/format";
import { MAX_FILE_BYTES } from "../../extraction/formats.shared";
import { refusalOfFile } from "../../extraction/refused-files.shared";

export interface PickedFile {
  file: File;
  path: string;
}

/** Why a file can't be uploaded; undefined if it can. */
export function problemOfFile(file: Pick<File, "name" | "type" | "size">): string | undefined {
  const refusal = refusalOfFile(file);
  if (refusal) return refusal;
  if (file.size > MAX_FILE_BYTES) return `Larger than ${MAX_FILE_BYTES / 1_000_000} MB`;
  if (file.size === 0) return "Empty";
  return undefined;
}

export interface LeftOutFile {
  path: string;
  problem: string;
}

export function sortOut(picked: readonly PickedFile[]): { usable: PickedFile[]; leftOut: LeftOutFile[] } {
  const usable: PickedFile[] = [];
  const leftOut: LeftOutFile[] = [];
  for (const one of picked) {
    const problem = problemOfFile(one.file);
    if (problem) leftOut.push({ path: one.path, problem });
    else usable.push(one);
  }
  return { usable, leftOut };
}

const NAMED = 5;

export function namesOf(files: readonly { path: string; problem?: string }[]): string {
  const names = files
    .slice(0, NAMED)
    .map(({ path, problem }) =>
      problem ? `${path} (${problem.charAt(0).toLowerCase()}${problem.slice(1)})` : path,
    );
  if (files.length > NAMED) names.push(countOf(files.length - NAMED, "other"));
  return names.join(", ");
}

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

const SYSTEM = /^(?:\.|thumbs\.db$|desktop\.ini$|~\$)/i;
export const MOST_DROPPED = 2000;
/** Limit for counting: a whole disk would take forever. */
const COUNTED = 20_000;

export interface Dropped {
  files: PickedFile[];
  /** Number of files beyond the limit. */
  leftOut: number;
  /** Paths that the browser can't read. */
  unreadable: string[];
}

export const NOTHING_DROPPED: Dropped = { files: [], leftOut: 0, unreadable: [] };

/** The files of a file input, with their folders where one was chosen. */
export function filesOfInput(input: HTMLInputElement): PickedFile[] {
  return [...(input.files ?? [])]
    .filter(({ name }) => !SYSTEM.test(name))
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

/**
 * Dropped files, including those in folders.
 * https://developer.mozilla.org/docs/Web/API/DataTransferItem/webkitGetAsEntry
 */
export async function filesOfDrop(transfer: DataTransfer): Promise<Dropped> {
  // Before the first await: the items are gone after the event.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0)
    return { ...NOTHING_DROPPED, files: [...transfer.files].map((file) => ({ file, path: file.name })) };
  const found: Dropped = { files: [], leftOut: 0, unreadable: [] };
  for (const entry of entries) await walk(entry, found);
  return found;
}

const pathOf = ({ fullPath }: FileSystemEntry) => fullPath.replace(/^\//, "");

async function walk(entry: FileSystemEntry, found: Dropped): Promise<void> {
  if (found.leftOut >= COUNTED || SYSTEM.test(entry.name)) return;
  if (isFile(entry)) {
    if (found.files.length >= MOST_DROPPED) {
      found.leftOut += 1;
      return;
    }
    // Unreadable files are reported and skipped.
    const file = await new Promise<File | undefined>((done) => entry.file(done, () => done(undefined)));
    if (file) found.files.push({ file, path: pathOf(entry) });
    else found.unreadable.push(pathOf(entry));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // Returns up to a hundred entries per call, and an empty list at the end.
    const some = await new Promise<FileSystemEntry[] | undefined>((done) =>
      reader.readEntries(done, () => done(undefined)),
    );
    if (!some) found.unreadable.push(pathOf(entry));
    if (!some?.length) return;
    for (const child of some) await walk(child, found);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
