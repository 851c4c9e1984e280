import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, min, ne, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { storedFiles } from "~db/schema";

export type FileRow = typeof storedFiles.$inferSelect;
export type NewFile = Pick<FileRow, "path" | "sha" | "bytes">;

const UNCOPIED: FileRow["state"][] = ["waiting", "sending"];

/** A file that was removed and is named again keeps its copy. */
export function putFile(tx: Db, file: NewFile, at: number): void {
  tx.insert(storedFiles)
    .values({ ...file, state: "waiting", changedAt: at, removedAt: null })
    .onConflictDoUpdate({ target: storedFiles.path, set: { removedAt: null } })
    .run();
}

export const findFile = (tx: Db, path: string): FileRow | undefined =>
  tx.select().from(storedFiles).where(eq(storedFiles.path, path)).get();

export function updateFile(
  tx: Db,
  path: string,
  change: Partial<Pick<FileRow, "sha" | "bytes" | "state" | "changedAt">>,
): void {
  tx.update(storedFiles).set(change).where(eq(storedFiles.path, path)).run();
}

export function deleteFile(tx: Db, path: string): void {
  tx.delete(storedFiles).where(eq(storedFiles.path, path)).run();
}

const below = (folder: string) => and(gt(storedFiles.path, `${folder}/`), lt(storedFiles.path, `${folder}0`));

/** What may have a copy is kept until the copy is deleted. */
export function removeFiles(tx: Db, paths: readonly string[], at: number): void {
  const named = and(inArray(storedFiles.path, [...paths]), isNull(storedFiles.removedAt));
  tx.delete(storedFiles)
    .where(and(named, eq(storedFiles.state, "waiting")))
    .run();
  tx.update(storedFiles).set({ removedAt: at }).where(named).run();
}

export function removeFolder(tx: Db, folder: string, at: number): void {
  const within = and(below(folder), isNull(storedFiles.removedAt));
  tx.delete(storedFiles)
    .where(and(within, eq(storedFiles.state, "waiting")))
    .run();
  tx.update(storedFiles).set({ removedAt: at }).where(within).run();
}

const isUncopied = and(inArray(storedFiles.state, UNCOPIED), isNull(storedFiles.removedAt));

/** In the order of their index, which a long queue needn't be sorted for. */
export const listUncopied = (tx: Db, limit: number): FileRow[] =>
  tx.select().from(storedFiles).where(isUncopied).limit(limit).all();

/** Files that still wait, and since when the first one does. */
export const measureUncopied = (tx: Db) =>
  tx
    .select({ count: sql<number>`count(*)`, since: min(storedFiles.changedAt) })
    .from(storedFiles)
    .where(isUncopied)
    .get() ?? { count: 0, since: null };

export const countMissing = (tx: Db): number =>
  tx
    .select({ count: sql<number>`count(*)` })
    .from(storedFiles)
    .where(and(eq(storedFiles.state, "missing"), isNull(storedFiles.removedAt)))
    .get()?.count ?? 0;

/** @param folder of the data folder @param after the last path of the page before */
export const listFiles = (tx: Db, folder: string, after: string, limit: number): FileRow[] =>
  tx
    .select()
    .from(storedFiles)
    .where(
      and(folder ? below(folder) : undefined, gt(storedFiles.path, after), isNull(storedFiles.removedAt)),
    )
    .orderBy(asc(storedFiles.path))
    .limit(limit)
    .all();

/** Copies that weren't seen for the longest time. */
export const listUnseen = (tx: Db, before: number, limit: number): FileRow[] =>
  tx
    .select()
    .from(storedFiles)
    .where(
      and(eq(storedFiles.state, "copied"), lt(storedFiles.changedAt, before), isNull(storedFiles.removedAt)),
    )
    .orderBy(asc(storedFiles.changedAt))
    .limit(limit)
    .all();

export const listExpired = (tx: Db, before: number, limit: number): FileRow[] =>
  tx
    .select()
    .from(storedFiles)
    .where(and(isNotNull(storedFiles.removedAt), lt(storedFiles.removedAt, before)))
    .limit(limit)
    .all();

/** Other files with the same content, whose copy it is too. */
export const listSharing = (tx: Db, { path, sha }: FileRow): FileRow[] =>
  sha === null
    ? []
    : tx
        .select()
        .from(storedFiles)
        .where(and(eq(storedFiles.sha, sha), ne(storedFiles.path, path)))
        .all();

/** After the database went back to an earlier state: whether a copy is there isn't known. */
export function forgetCopies(tx: Db, at: number): void {
  tx.update(storedFiles)
    .set({ state: "sending", changedAt: at })
    .where(and(eq(storedFiles.state, "copied"), isNull(storedFiles.removedAt)))
    .run();
}
