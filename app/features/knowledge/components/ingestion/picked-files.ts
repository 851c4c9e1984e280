import { countOf, formatCount } from "~/ui/format";
import { MAX_FILE_BYTES } from "../../extraction/formats.shared";
import { refusalOfFile } from "../../extraction/refused-files.shared";

export interface PickedFile {
  file: File;
  path: string;
  problem?: string;
}

export function problemOfFile(file: Pick<File, "name" | "type" | "size">): string | undefined {
  const refusal = refusalOfFile(file);
  if (refusal) return refusal;
  if (file.size > MAX_FILE_BYTES) return `Larger than ${MAX_FILE_BYTES / 1_000_000} MB`;
  if (file.size === 0) return "Empty";
  return undefined;
}

interface SkippedFile {
  path: string;
  problem: string;
}

export function partitionFiles(picked: readonly PickedFile[]): {
  usable: PickedFile[];
  skipped: SkippedFile[];
} {
  const usable: PickedFile[] = [];
  const skipped: SkippedFile[] = [];
  for (const one of picked) {
    const problem = one.problem ?? problemOfFile(one.file);
    if (problem) skipped.push({ path: one.path, problem });
    else usable.push(one);
  }
  return { usable, skipped };
}

const MAX_NAMES = 5;

export function namesOf(files: readonly { path: string; problem?: string }[]): string {
  const names = files
    .slice(0, MAX_NAMES)
    .map(({ path, problem }) =>
      problem ? `${path} (${problem.charAt(0).toLowerCase()}${problem.slice(1)})` : path,
    );
  if (files.length > MAX_NAMES) names.push(countOf(files.length - MAX_NAMES, "other"));
  return names.join(", ");
}

export function addFiles(existing: readonly PickedFile[], more: readonly PickedFile[]): PickedFile[] {
  const keyOf = ({ path, file }: PickedFile) => `${path} ${file.size} ${file.lastModified}`;
  const known = new Set(existing.map(keyOf));
  const added = more.filter((one) => {
    const key = keyOf(one);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
  return [...existing, ...added];
}

const SYSTEM = /^(?:\.|thumbs\.db$|desktop\.ini$|~\$)/i;
export const MAX_DROPPED_FILES = 2000;

export function filesOfInput(input: HTMLInputElement): PickedFile[] {
  return [...(input.files ?? [])]
    .filter(({ name }) => !SYSTEM.test(name))
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

/**
 * Dropped files, including those in folders; unreadable ones and the first one beyond the limit have a problem.
 * https://developer.mozilla.org/docs/Web/API/DataTransferItem/webkitGetAsEntry
 */
export async function filesOfDrop(transfer: DataTransfer): Promise<PickedFile[]> {
  // Before the first await: the items are gone after the event.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ file, path: file.name }));
  const files: PickedFile[] = [];
  for (const entry of entries) await walk(entry, files);
  return files;
}

const UNREADABLE = "Couldn't be read from this computer";
const BEYOND_LIMIT = `A drop can contain ${formatCount(MAX_DROPPED_FILES)} files at most. Upload these first, then drop the others`;

async function walk(entry: FileSystemEntry, files: PickedFile[]): Promise<void> {
  if (files.length > MAX_DROPPED_FILES || SYSTEM.test(entry.name)) return;
  const path = entry.fullPath.replace(/^\//, "");
  const skip = (problem: string) => files.push({ file: new File([], entry.name), path, problem });
  if (isFile(entry)) {
    if (files.length === MAX_DROPPED_FILES) return void skip(BEYOND_LIMIT);
    const file = await new Promise<File | undefined>((done) => entry.file(done, () => done(undefined)));
    if (file) files.push({ file, path });
    else skip(UNREADABLE);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // Returns up to a hundred entries per call, and an empty list at the end.
    const entries = await new Promise<FileSystemEntry[] | undefined>((done) =>
      reader.readEntries(done, () => done(undefined)),
    );
    if (!entries) skip(UNREADABLE);
    if (!entries?.length) return;
    for (const child of entries) await walk(child, files);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
