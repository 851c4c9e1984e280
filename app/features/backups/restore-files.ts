import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseWellFormed } from "~/core/well-formed";
import { CONTENTS, DATABASE, WORKSPACE } from "./archive-names";
import { BackupManifest } from "./backup-task";

/** Everything that a restore replaces: a backup's contents, SQLite's files beside them, and the audit trail's head. */
const REPLACED = [
  DATABASE,
  `${DATABASE}-wal`,
  `${DATABASE}-shm`,
  WORKSPACE,
  `${WORKSPACE}-wal`,
  `${WORKSPACE}-shm`,
  "runs",
  "attachments",
  "audit.head",
] as const;

/**
 * A restore under way, in the folder `restore`: `ready` when the backup is unpacked and verified, `moving` while files
 * change places, `started` until the restored console answers. What finds `moving` or `started` at its start was
 * interrupted, and takes the earlier files back.
 */
const RestorePlan = z.object({
  state: z.enum(["ready", "moving", "started"]),
  /** Of the archive. */
  name: z.string(),
  means: z.enum(["restore", "import"]),
  /** Who asked for it; null for the set-up link. */
  userId: z.string().nullable(),
  manifest: BackupManifest,
  /** What was in the data folder before. */
  present: z.array(z.string()).default([]),
});
export type RestorePlan = z.infer<typeof RestorePlan>;

/** The result of the last restore, or of the last compaction of the database. */
const Outcome = z.object({
  work: z.enum(["restore", "compact"]),
  ok: z.boolean(),
  at: z.iso.datetime(),
  message: z.string(),
});
export type Outcome = z.infer<typeof Outcome>;

const folderOf = (dataDir: string) => join(dataDir, "restore");
const planFile = (dataDir: string) => join(folderOf(dataDir), "plan.json");
/** Where a backup is unpacked before it is restored. */
export const stagedFolder = (dataDir: string) => join(folderOf(dataDir), "staged");
const previousFolder = (dataDir: string) => join(folderOf(dataDir), "previous");
const outcomeFile = (dataDir: string) => join(dataDir, "backups", "outcome.json");

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces a file as a whole: a crash leaves the old or the new text. */
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

/** Removes the plan first: what is left of the folder then means nothing. */
function removePlan(dataDir: string): void {
  rmSync(planFile(dataDir), { force: true });
  if (existsSync(folderOf(dataDir))) syncFolder(folderOf(dataDir));
  rmSync(folderOf(dataDir), { recursive: true, force: true });
}

export function readOutcome(dataDir: string): Outcome | undefined {
  return readText(outcomeFile(dataDir), Outcome);
}

/** Notes how a restore or a compaction ended, outside the database that it replaced. */
export function noteOutcome(dataDir: string, outcome: Outcome): void {
  writeText(join(dataDir, "backups"), "outcome.json", JSON.stringify(outcome));
}

/** Notes that a verified backup is to be put in place at the next start. */
export function planRestore(dataDir: string, plan: Omit<RestorePlan, "state" | "present">): void {
  save(dataDir, { ...plan, state: "ready", present: [] });
}

/** The plan under way. @throws Error for one that can't be read: the earlier state may lie beside it */
function readPlan(dataDir: string): RestorePlan | undefined {
  const plan = readText(planFile(dataDir), RestorePlan);
  if (plan || !existsSync(planFile(dataDir))) return plan;
  throw new Error(
    `${planFile(dataDir)} is damaged. Move the files of ${previousFolder(dataDir)} back to ${dataDir}, delete the folder restore, and start again.`,
  );
}

/** Empties the folder before a backup is unpacked there. */
export function clearStaged(dataDir: string): void {
  if ((readPlan(dataDir)?.state ?? "ready") !== "ready") throw new Error("A restore is still under way.");
  removePlan(dataDir);
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 });
}

/** Takes the earlier files back. After a crash in the middle of it a second call does the rest. */
export function undoRestore(dataDir: string, { present }: Pick<RestorePlan, "present">): void {
  const previous = previousFolder(dataDir);
  for (const name of REPLACED) {
    if (existsSync(join(previous, name))) {
      rmSync(join(dataDir, name), { recursive: true, force: true });
      renameSync(join(previous, name), join(dataDir, name));
    } else if (!present.includes(name)) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
  syncFolder(dataDir);
  removePlan(dataDir);
}

/**
 * Puts a planned backup's files in place of the present ones, which are kept, or undoes an interrupted restore. Call it
 * before anything is opened.
 */
export function applyRestore(dataDir: string): { plan?: RestorePlan; interrupted?: RestorePlan } {
  const plan = readPlan(dataDir);
  if (!plan) {
    removePlan(dataDir);
    return {};
  }
  if (plan.state !== "ready") {
    undoRestore(dataDir, plan);
    return { interrupted: plan };
  }
  const present = REPLACED.filter((name) => existsSync(join(dataDir, name)));
  const moving: RestorePlan = { ...plan, state: "moving", present };
  save(dataDir, moving);
  mkdirSync(previousFolder(dataDir), { recursive: true, mode: 0o700 });
  for (const name of present) renameSync(join(dataDir, name), join(previousFolder(dataDir), name));
  for (const name of CONTENTS) {
    const staged = join(stagedFolder(dataDir), name);
    if (existsSync(staged)) renameSync(staged, join(dataDir, name));
  }
  syncFolder(dataDir);
  const started: RestorePlan = { ...moving, state: "started" };
  save(dataDir, started);
  return { plan: started };
}

/** The restored console answers: the earlier state goes. */
export function finishRestore(dataDir: string): void {
  removePlan(dataDir);
}
