import { formatCount } from "~/ui/format";
import type { PickedFile } from "./add-files";
import { SYSTEM_FILE } from "./picked-files";

export const MAX_DROPPED_FILES = 2000;

/** A drop event's data, readable only until its handler returns. */
export interface Drop {
  entries: FileSystemEntry[];
  files: File[];
}

/**
 * Dropped files, including those in folders; unreadable ones and the first one beyond the limit have a problem.
 * https://developer.mozilla.org/docs/Web/API/DataTransferItem/webkitGetAsEntry
 */
export async function filesOfDrop({ entries, files: loose }: Drop): Promise<PickedFile[]> {
  if (entries.length === 0) return loose.map((file) => ({ file, path: file.name }));
  const files: PickedFile[] = [];
  for (const entry of entries) await walk(entry, files);
  return files;
}

const UNREADABLE = "Couldn't be read from this computer";
const BEYOND_LIMIT = `A drop can contain ${formatCount(MAX_DROPPED_FILES)} files at most. Upload these first, then drop the others`;

async function walk(entry: FileSystemEntry, files: PickedFile[]): Promise<void> {
  if (files.length > MAX_DROPPED_FILES || SYSTEM_FILE.test(entry.name)) return;
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
