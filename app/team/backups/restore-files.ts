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
import { dirname, join } from "node:path";
import { z } from "zod";
import { now } from "~/core/clock.server";
import { parseWellFormed } from "~/core/well-formed";
import { CONTENTS, DATABASE, WORKSPACE } from "./archive-names";
import { BackupManifest } from "./backup-task";
import { MaintenanceOutcome } from "./backups.schema";

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
 * State of a restore: `ready` once verified, `moving` while files are swapped, `started` until the restored console
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

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

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

export function planRestore(dataDir: string, plan: Omit<RestorePlan, "state" | "present">): void {
  save(dataDir, { ...plan, state: "ready", present: [] });
}

/** @throws Error if unreadable: the previous state may be beside it */
export function readPlan(dataDir: string): RestorePlan | undefined {
  const plan = readText(planFile(dataDir), RestorePlan);
  if (plan || !existsSync(planFile(dataDir))) return plan;
  throw new Error(
    `${planFile(dataDir)} is damaged. Move the files of ${previousFolder(dataDir)} back to ${dataDir}, delete the folder restore, and start again.`,
  );
}

export function clearStaged(dataDir: string): void {
  if (["moving", "started"].includes(readPlan(dataDir)?.state ?? "ready"))
    throw new Error("A restore is still in progress.");
  removePlan(dataDir);
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 });
}

/** Rolls back; after a crash a second call finishes. */
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
 * Swaps in a planned backup's files and keeps the current ones, or undoes an interrupted restore. Call before anything
 * is opened.
 */
export function applyRestore(dataDir: string): { plan?: RestorePlan; interrupted?: RestorePlan } {
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
