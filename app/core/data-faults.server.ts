import { accessSync, constants, existsSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { DrizzleQueryError } from "drizzle-orm";
import { env, SECRET_NAMES } from "./env.server";
import { isDiskFull } from "./storage-faults.server";

// What an operator reads when a data folder can't be used: one line that says what to do.

const { R_OK, W_OK, X_OK } = constants;

const DATABASES = ["quarterdeck.sqlite", "workspace.db"];
/** Everything else may be somebody else's, as `lost+found` is root's. */
const NEEDED: readonly (readonly [name: string, mode: number])[] = [
  ["process.lock", R_OK | W_OK],
  ["process.lock-journal", R_OK | W_OK],
  ...DATABASES.flatMap((name) => [name, `${name}-wal`, `${name}-shm`]).map(
    (name) => [name, R_OK | W_OK] as const,
  ),
  ...[...SECRET_NAMES, "audit.head"].map((name) => [name, R_OK] as const),
  ...["runs", "attachments", "backups", "restore", "snapshots"].map(
    (name) => [name, R_OK | W_OK | X_OK] as const,
  ),
];

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

const isDenied = (code: string) => code === "EACCES" || code === "EPERM";

/** @returns the first of the console's own files that this process may not open */
function findDenied(folder: string): string | undefined {
  for (const [name, mode] of NEEDED) {
    const path = join(folder, name);
    try {
      accessSync(path, mode);
    } catch (error) {
      if (isDenied(errorCode(error))) return path;
    }
  }
  return undefined;
}

/** For a command's argument. `chown -R` doesn't follow a link that it is given. */
function shellPath(path: string): string {
  let real = path;
  try {
    real = realpathSync(path);
  } catch {}
  return /^[\w./-]+$/.test(real) ? real : `'${real.replaceAll("'", "'\\''")}'`;
}

function factsOf(path: string): Stats | string {
  try {
    return statSync(path);
  } catch (error) {
    return errorCode(error);
  }
}

function describeDenied(path: string, folder: string): string {
  const what = path === folder ? `The data folder ${folder}` : `${path} in the data folder`;
  const verb = path === folder ? "written" : "opened";
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined)
    return `${what} can't be ${verb}: let this user write it, or set DATA_DIR to another folder.`;
  const target = shellPath(folder);
  const facts = factsOf(path);
  if (facts === "ENOENT")
    return `${what} doesn't exist and can't be made by uid ${uid}. Make it with: mkdir -p ${target} && chown ${uid}:${gid} ${target}`;
  if (typeof facts === "string")
    return `${what} can't be reached by uid ${uid}: a folder above it is closed to it. Open that folder, or set DATA_DIR to another one.`;
  if (facts.uid !== uid)
    return `${what} belongs to uid ${facts.uid} and can't be ${verb} by uid ${uid}. Mend it with: chown -R ${uid}:${gid} ${target}`;
  const mode = (facts.mode & 0o777).toString(8).padStart(4, "0");
  if ((facts.mode & 0o600) !== 0o600 || (facts.isDirectory() && (facts.mode & 0o100) === 0))
    return `${what} can't be ${verb} by uid ${uid}, which owns it, because of its mode ${mode}. Mend it with: chmod -R u+rwX ${target}`;
  return `${what} can't be ${verb} by uid ${uid}, although it owns it. Look at SELinux or AppArmor, or whether it is immutable (lsattr), or set DATA_DIR to another folder.`;
}

const byAge = (folder: string) => (a: string, b: string) =>
  statSync(join(folder, a)).mtimeMs - statSync(join(folder, b)).mtimeMs;

function newestBackup(folder: string): string | undefined {
  try {
    const backups = join(folder, "backups");
    const archives = readdirSync(backups).filter((name) => name.endsWith(".tar.gz"));
    return archives.sort(byAge(backups)).at(-1);
  } catch {
    return undefined;
  }
}

/** How a backup is restored without a running console: the commands, with the newest one's name. */
export function describeRecovery(folder: string): string {
  const name = newestBackup(folder);
  const file = name === undefined ? "FILE" : shellPath(name);
  const what = name === undefined ? "a backup" : "the newest backup";
  return `restore ${what} with \`npm run restore -- ${file}\`, in the container \`node build/restore.mjs ${file}\` (see "A damaged database" in docs/operating.md)`;
}

/** In order: the first whose codes match. SQLite's codes have extensions, such as SQLITE_IOERR_FSYNC. */
const FAULTS: readonly (readonly [codes: RegExp, describe: (folder: string, code: string) => string])[] = [
  [
    /^EROFS$/,
    (folder) =>
      `The data folder ${folder} is on a read-only file system. Mount it writable, or set DATA_DIR to another folder.`,
  ],
  [
    /^(ENOSPC|SQLITE_FULL)$/,
    (folder) => `The disk of the data folder ${folder} is full. Free some space and start again.`,
  ],
  [
    /^EDQUOT$/,
    (folder) =>
      `The disk quota for the data folder ${folder} is used up. Free some space or raise it, and start again.`,
  ],
  [
    /^(EIO|SQLITE_IOERR)/,
    (folder, code) =>
      `The disk of the data folder ${folder} reports errors (${code}). Check the disk and the system's log, and start again. If the database was damaged, ${describeRecovery(folder)}.`,
  ],
  [
    /^(SQLITE_(NOTADB|CORRUPT)|damaged$)/,
    (folder, code) =>
      `The database ${join(folder, "quarterdeck.sqlite")} is damaged (${code}). To go on, ${describeRecovery(folder)}.`,
  ],
  [
    /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
    (folder, code) =>
      `Another program has the database ${join(folder, "quarterdeck.sqlite")} open (${code}). Close it and start again.`,
  ],
  [
    /^SQLITE_(CANTOPEN|READONLY|PERM)/,
    (folder, code) =>
      `The database ${join(folder, "quarterdeck.sqlite")} can't be opened for writing (${code}). Check that it and its -wal and -shm are plain files of the user that runs the console.`,
  ],
];

function describeFault(error: Error, folder: string): string | undefined {
  const reported = errorCode(error) || (error instanceof DrizzleQueryError ? errorCode(error.cause) : "");
  const code = reported.startsWith("SQLITE_IOERR") && isDiskFull(folder) ? "SQLITE_FULL" : reported;
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  const isOutside = path !== undefined && path !== folder && !path.startsWith(join(folder, "/"));
  if (isDenied(code) && !isOutside) return describeDenied(path ?? folder, folder);
  if (/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(code)) {
    const denied = findDenied(folder);
    if (denied) return describeDenied(denied, folder);
  }
  if ((code === "ENOTDIR" || code === "EEXIST") && path === folder)
    return `DATA_DIR is ${folder}, which isn't a folder. Set it to a folder.`;
  // Node says so of a read-only file system too.
  if (code === "ENOENT" && path === folder)
    return `The data folder ${folder} can't be made: its file system is read-only, or a link in its path leads nowhere. Make it, or set DATA_DIR to another folder.`;
  const describe = isOutside ? undefined : FAULTS.find(([codes]) => codes.test(code))?.[1];
  if (describe) return describe(folder, code);
  if (code.startsWith("SQLITE_"))
    return `The database ${join(folder, "quarterdeck.sqlite")} can't be used: ${error.message} (${code}). If it can't be mended, ${describeRecovery(folder)}.`;
  return "syscall" in error ? `Quarterdeck can't start: ${error.message}.` : undefined;
}

/** @returns an error whose message tells the operator what to do; others than the system's and SQLite's stay */
export function explainDataFault(error: unknown, folder: string): unknown {
  const message = error instanceof Error ? describeFault(error, folder) : undefined;
  return message === undefined ? error : new Error(message, { cause: error });
}

/** @throws Error for the operator if one of the console's own files is closed to this process */
export function assertFilesOpen(folder: string): void {
  const denied = findDenied(folder);
  if (denied) throw new Error(describeDenied(denied, folder));
}

/** What a console makes only after its database. A folder counts once something is in it. */
const FILES = [...SECRET_NAMES, "audit.head", "workspace.db"];
const REPLICATED = ".quarterdeck.sqlite-litestream";
const FOLDERS = ["attachments", "runs", "snapshots", "replaced", REPLICATED];

function listFolder(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}

function findRemains(folder: string): string[] {
  const files = FILES.filter((name) => existsSync(join(folder, name)));
  const hasBackups = listFolder(join(folder, "backups")).some((name) => name.endsWith(".tar.gz"));
  const folders = FOLDERS.filter((name) => listFolder(join(folder, name)).length > 0);
  return [...files, ...[...(hasBackups ? ["backups"] : []), ...folders].map((name) => `${name}/`)];
}

/** As `describeRecovery`, where a replica may have the newest state. */
function describeReturn(folder: string, remains: readonly string[]): string {
  const backup = describeRecovery(folder);
  if (!env().LITESTREAM_URL && !remains.includes(`${REPLICATED}/`)) return backup;
  const file = shellPath(join(folder, "quarterdeck.sqlite"));
  return `restore the replica with \`litestream restore -integrity-check full -o ${file} $LITESTREAM_URL/quarterdeck\` (see "Runbook" in docs/operating.md), or ${backup}`;
}

/** Call it for a database without tables. @throws Error for the operator, if the folder is no new installation */
export function assertDatabaseNotLost(folder: string): void {
  const remains = findRemains(folder);
  const file = join(folder, "quarterdeck.sqlite");
  if (remains.length === 0) {
    if (!env().DATABASE_REQUIRED) return;
    throw new Error(
      `There is no database ${file}, and DATABASE_REQUIRED is set. To go on, ${describeReturn(folder, remains)}. To begin a new installation, unset it for the first start.`,
    );
  }
  const state = existsSync(file) ? "is empty" : "is missing";
  throw new Error(
    `The database ${file} ${state}, but the data folder isn't new: it has ${remains.join(", ")}. ` +
      `To go on, ${describeReturn(folder, remains)}. To start over, move these files to another folder.`,
  );
}
