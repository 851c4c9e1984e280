import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { now } from "~/core/clock.server";
import {
  isBeyondSqlite,
  keepCopy,
  moveDatabase,
  overwriteDatabase,
  removeDatabase,
  syncFolder,
} from "~/core/replace-database.server";
import { findStorageFault } from "~/core/storage-faults.server";
import { parseWellFormed } from "~/core/well-formed";
import { ATTACHMENTS, DATABASE, RUNS, WORKSPACE } from "./archive-names";
import { BackupManifest } from "./backup-task";
import { MaintenanceOutcome } from "./backups.schema";

const DATABASES = [DATABASE, WORKSPACE] as const;
/** What a restore replaces by renaming. */
const RENAMED = [RUNS, ATTACHMENTS, "audit.head"] as const;

/**
 * State of a restore: `ready` once verified, `moving` while files are replaced, `started` until the restored console
 * answers, `done` afterwards. A start that finds `moving` or `started` rolls back.
 */
const RestorePlan = z.object({
  state: z.enum(["ready", "moving", "started", "done"]),
  name: z.string(),
  means: z.enum(["restore", "import"]),
  /** Null for the setup link. */
  userId: z.string().nullable(),
  manifest: BackupManifest,
  present: z.array(z.string()).default([]),
  /** Databases that were too damaged to be overwritten in place. */
  putAside: z.array(z.string()).default([]),
  /** Folder in the data folder that keeps the replaced files, if they couldn't be backed up. */
  keptIn: z
    .string()
    .regex(/^replaced\/[\w-]+$/)
    .optional(),
});
export type RestorePlan = z.infer<typeof RestorePlan>;

const folderOf = (dataDir: string) => join(dataDir, "restore");
const planFile = (dataDir: string) => join(folderOf(dataDir), "plan.json");
export const stagedFolder = (dataDir: string) => join(folderOf(dataDir), "staged");
const previousFolder = (dataDir: string) => join(folderOf(dataDir), "previous");
const outcomeFile = (dataDir: string) => join(dataDir, "backups", "outcome.json");

/** Atomic: a crash leaves the old or the new text. */
function writeText(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const partial = join(folder, `${name}.new`);
  writeFileSync(partial, text, { mode: 0o600, flush: true });
  renameSync(partial, join(folder, name));
  syncFolder(folder);
}

function readText<T>(file: string, schema: z.ZodType<T>): T | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return schema.safeParse(parseWellFormed(readFileSync(file, "utf8"))).data;
  } catch {
    return undefined;
  }
}

const save = (dataDir: string, plan: RestorePlan) =>
  writeText(folderOf(dataDir), "plan.json", JSON.stringify(plan));

/** Removes the plan first: without it the rest of the folder is garbage. */
function removePlan(dataDir: string): void {
  rmSync(planFile(dataDir), { force: true });
  if (existsSync(folderOf(dataDir))) syncFolder(folderOf(dataDir));
  rmSync(folderOf(dataDir), { recursive: true, force: true });
}

export function readOutcome(dataDir: string): MaintenanceOutcome | undefined {
  return readText(outcomeFile(dataDir), MaintenanceOutcome);
}

/** Stored outside the database, which a restore replaces. */
export function writeOutcome(dataDir: string, outcome: Omit<MaintenanceOutcome, "at">): void {
  const at = new Date(now()).toISOString();
  writeText(join(dataDir, "backups"), "outcome.json", JSON.stringify({ ...outcome, at }));
}

export function planRestore(
  dataDir: string,
  plan: Omit<RestorePlan, "state" | "present" | "putAside">,
): void {
  save(dataDir, { ...plan, state: "ready", present: [], putAside: [] });
}

/** @throws Error if unreadable: the previous state may be beside it */
export function readPlan(dataDir: string): RestorePlan | undefined {
  const plan = readText(planFile(dataDir), RestorePlan);
  if (plan || !existsSync(planFile(dataDir))) return plan;
  throw new Error(
    `${planFile(dataDir)} is damaged. Move the files of ${previousFolder(dataDir)} back to ${dataDir}, delete the folder restore, and start again.`,
  );
}

/** Of what a restore adds to the disk: a copy of each present database, and each restored one in a write-ahead log. */
export function bytesToReplace(dataDir: string): number {
  const files = DATABASES.flatMap((name) => [
    join(dataDir, name),
    join(dataDir, `${name}-wal`),
    join(stagedFolder(dataDir), name),
  ]);
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

export function clearStaged(dataDir: string): void {
  if (["moving", "started"].includes(readPlan(dataDir)?.state ?? "ready"))
    throw new Error("A restore is still in progress.");
  removePlan(dataDir);
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 });
}

/**
 * Brings a database back from its copy, or from where it was put aside. Until all is back the copy stays, so that a
 * second call finishes after a crash.
 * @returns whether the database is the file that its replica follows
 */
async function bringBack(dataDir: string, name: string, isPresent: boolean): Promise<boolean> {
  const database = join(dataDir, name);
  const previous = join(previousFolder(dataDir), name);
  if (!existsSync(previous)) {
    if (!isPresent) removeDatabase(database);
    return true;
  }
  try {
    if (existsSync(database)) {
      await overwriteDatabase(previous, database);
      return true;
    }
  } catch (error) {
    // A rename needs no space.
    if (!isBeyondSqlite(error) && findStorageFault(error) !== "disk_full") throw error;
  }
  removeDatabase(database);
  moveDatabase(previous, dataDir);
  return false;
}

/**
 * Rolls back; after a crash a second call finishes.
 * @returns databases whose file is another one than before
 */
export async function undoRestore(
  dataDir: string,
  { present }: Pick<RestorePlan, "present">,
): Promise<string[]> {
  const previous = previousFolder(dataDir);
  const moved: string[] = [];
  for (const name of DATABASES)
    if (!(await bringBack(dataDir, name, present.includes(name)))) moved.push(name);
  for (const name of RENAMED) {
    if (existsSync(join(previous, name))) {
      rmSync(join(dataDir, name), { recursive: true, force: true });
      renameSync(join(previous, name), join(dataDir, name));
    } else if (!present.includes(name)) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
  syncFolder(dataDir);
  removePlan(dataDir);
  return moved;
}

/** @returns false if the database was too damaged and was put aside */
async function replaceDatabase(dataDir: string, name: string): Promise<boolean> {
  const database = join(dataDir, name);
  const file = join(stagedFolder(dataDir), name);
  const previous = join(previousFolder(dataDir), name);
  const staged = existsSync(file) ? file : undefined;
  const isPresent = existsSync(database);
  try {
    if (isPresent) {
      await keepCopy(database, previous);
      await overwriteDatabase(staged, database);
      return true;
    }
  } catch (error) {
    if (!isBeyondSqlite(error)) throw error;
  }
  // The file itself takes the place of its copy, whose log it isn't.
  rmSync(previous, { force: true });
  moveDatabase(database, previousFolder(dataDir));
  if (staged) renameSync(staged, database);
  return !isPresent;
}

/**
 * Puts a planned backup in and keeps what it replaces, or undoes an interrupted restore. Call before anything is
 * opened. Databases are overwritten in place, so that a process that replicates them follows.
 */
export async function applyRestore(
  dataDir: string,
): Promise<{ plan?: RestorePlan; interrupted?: RestorePlan }> {
  const plan = readPlan(dataDir);
  if (!plan) {
    removePlan(dataDir);
    return {};
  }
  if (plan.state === "done") {
    removeReplaced(dataDir, plan);
    return {};
  }
  if (plan.state !== "ready") {
    return { interrupted: { ...plan, putAside: await undoRestore(dataDir, plan) } };
  }
  const present = [...DATABASES, ...RENAMED].filter((name) => existsSync(join(dataDir, name)));
  const moving: RestorePlan = { ...plan, state: "moving", present };
  save(dataDir, moving);
  const previous = previousFolder(dataDir);
  mkdirSync(previous, { recursive: true, mode: 0o700 });
  const putAside: string[] = [];
  for (const name of DATABASES) if (!(await replaceDatabase(dataDir, name))) putAside.push(name);
  for (const name of RENAMED) {
    if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(previous, name));
    const staged = join(stagedFolder(dataDir), name);
    if (existsSync(staged)) renameSync(staged, join(dataDir, name));
  }
  syncFolder(previous);
  syncFolder(dataDir);
  const started: RestorePlan = { ...moving, state: "started", putAside };
  save(dataDir, started);
  return { plan: started };
}

/** Deletes the replaced files, or keeps them in a folder of their own. */
function removeReplaced(dataDir: string, { keptIn, present }: RestorePlan): void {
  const previous = previousFolder(dataDir);
  if (keptIn !== undefined && present.length > 0 && existsSync(previous)) {
    const target = join(dataDir, keptIn);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    renameSync(previous, target);
    syncFolder(dirname(target));
  }
  removePlan(dataDir);
}

export function finishRestore(dataDir: string): void {
  const plan = readPlan(dataDir);
  if (!plan) return;
  // From here on a crash no longer rolls back, since half of the replaced files may be gone.
  save(dataDir, { ...plan, state: "done" });
  removeReplaced(dataDir, plan);
}
