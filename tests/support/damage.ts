import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { seededRandom } from "../../programs/demo/seeded-random";

// Ways to damage the files of a stopped console.

const DATABASE = "quarterdeck.sqlite";

/** The same bytes each time. */
function noise(length: number): Buffer {
  const random = seededRandom(7);
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
}

function overwrite(file: string, bytes: Buffer, position: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

function pagesOf(file: string): { pageSize: number; rootOf: (table: string) => number; count: number } {
  const raw = new Database(file, { readonly: true });
  try {
    const roots = new Map(
      raw.prepare("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0").raw().all() as [
        string,
        number,
      ][],
    );
    const pragma = (name: string) => Number(raw.pragma(name, { simple: true }));
    return {
      pageSize: pragma("page_size"),
      count: pragma("page_count"),
      rootOf: (table) => {
        const page = roots.get(table);
        if (page === undefined) throw new Error(`There is no table ${table}.`);
        return page;
      },
    };
  } finally {
    raw.close();
  }
}

/** Overwrites the first page of a table. */
export function damageTable(dataDir: string, table: string): void {
  const file = join(dataDir, DATABASE);
  const { pageSize, rootOf } = pagesOf(file);
  overwrite(file, noise(pageSize), (rootOf(table) - 1) * pageSize);
}

/** Overwrites pages all over the file, but not the first. */
export function damagePages(dataDir: string, pages: number): void {
  const file = join(dataDir, DATABASE);
  const { pageSize, count } = pagesOf(file);
  const random = seededRandom(pages);
  for (let done = 0; done < pages; done++) {
    const page = 2 + Math.floor(random() * (count - 1));
    overwrite(file, noise(pageSize), (page - 1) * pageSize);
  }
}

export const garble = (dataDir: string, name: string) =>
  writeFileSync(join(dataDir, name), noise(Math.max(64, sizeOf(join(dataDir, name)))));
export const cut = (dataDir: string, name: string) =>
  truncateSync(join(dataDir, name), Math.floor(sizeOf(join(dataDir, name)) / 2));
export const empty = (dataDir: string, name: string) => truncateSync(join(dataDir, name), 0);
export const put = (dataDir: string, name: string, text: string) => writeFileSync(join(dataDir, name), text);
export const remove = (dataDir: string, name: string) =>
  rmSync(join(dataDir, name), { recursive: true, force: true });

/** Changes a byte of a packed file that matters: some stand for the same bytes after it, as in a run of zeros. */
export function changeByte(dataDir: string, name: string): void {
  const file = join(dataDir, name);
  const whole = readFileSync(file);
  const unpacked = gunzipSync(whole);
  const isSame = (bytes: Buffer) => {
    try {
      return gunzipSync(bytes).equals(unpacked);
    } catch {
      return false;
    }
  };
  for (let at = Math.floor(whole.length / 2); ; at++) {
    const bytes = Buffer.from(whole);
    bytes.writeUInt8((bytes.readUInt8(at) + 1) % 256, at);
    if (isSame(bytes)) continue;
    writeFileSync(file, bytes);
    return;
  }
}

/** Puts the other kind in the place of a file or folder. */
export function swapKind(dataDir: string, name: string): void {
  const path = join(dataDir, name);
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  rmSync(path, { recursive: true, force: true });
  if (isFolder) writeFileSync(path, "a file");
  else mkdirSync(path);
}

export function replaceWithText(dataDir: string, name: string): void {
  writeFileSync(join(dataDir, name), "This was a database.\n".repeat(4000));
}

/** A backup beside the good one. */
export function copyOfBackup(dataDir: string, name: string, copy: string): string {
  copyFileSync(join(dataDir, "backups", name), join(dataDir, "backups", copy));
  return `backups/${copy}`;
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
