import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Db, db, rawDatabase, transaction } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { sameSecret } from "~/core/ids.server";
import { log } from "~/core/log.server";
import {
  countStart,
  isUnused,
  readChainStart,
  readLastEntry,
  readMac,
  readStarts,
} from "./audit.repo.server";
import type { TrailFault } from "./audit.shared";
import { chainKey, GENESIS } from "./chain.server";

const Head = z.object({
  seq: z.int().nonnegative(),
  mac: z.string(),
  /** Starts of the console that the database had counted; missing in files of versions that didn't count. */
  starts: z.int().nonnegative().optional(),
  /** Whether the console ended in order after it. */
  isEnd: z.boolean().optional(),
  signature: z.string(),
});
type Head = Omit<z.infer<typeof Head>, "signature">;

let recorded: Head | undefined;

const headFile = () => join(dataDir(), "audit.head");

function signatureOf({ seq, mac, starts, isEnd }: Head): string {
  const signed =
    starts === undefined
      ? ["quarterdeck-audit-head-1", seq, mac]
      : ["quarterdeck-audit-head-2", seq, mac, starts, isEnd ?? false];
  return createHmac("sha256", chainKey()).update(JSON.stringify(signed)).digest("base64url");
}

/** @returns undefined if missing, "damaged" if the signature doesn't match */
export function readHead(): Head | "damaged" | undefined {
  let text: string;
  try {
    text = readFileSync(headFile(), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const head = Head.parse(JSON.parse(text));
    return sameSecret(head.signature, signatureOf(head)) ? head : "damaged";
  } catch {
    return "damaged";
  }
}

/** Some entries are committed without a disk sync: a power loss could drop entries that the head names. */
async function syncDatabaseLog(): Promise<void> {
  const handle = await open(`${rawDatabase().name}-wal`, "r").catch(() => undefined);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

let writing: Promise<void> = Promise.resolve();

/** Serialized: concurrent calls would write the same file. */
function writeHead(head: Head): Promise<void> {
  const written = writing.then(() => replaceFile(head));
  writing = written.catch(() => undefined);
  return written;
}

async function replaceFile(head: Head): Promise<void> {
  await syncDatabaseLog();
  const file = headFile();
  const handle = await open(`${file}.new`, "w", 0o600);
  try {
    await handle.writeFile(JSON.stringify({ ...head, signature: signatureOf(head) }));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
  recorded = head;
}

const newestHead = (tx: Db, isEnd = false): Head => ({
  ...(readLastEntry(tx) ?? { seq: 0, mac: GENESIS }),
  starts: readStarts(tx),
  isEnd,
});

/** Why the newest entry that a head names isn't there. None of these is taken for intact. */
export function explainMissing(tx: Db, { starts, isEnd }: Head): TrailFault {
  // While the console runs, the database isn't replaced.
  if (recorded || starts === undefined) return "entries_missing";
  if (starts !== readStarts(tx)) return "other_start";
  return isEnd ? "entries_missing" : "unclean_end";
}

function findHeadFault(tx: Db, head: Head | "damaged" | undefined): TrailFault | undefined {
  if (head === undefined) return isUnused(tx) ? undefined : "head_missing";
  if (head === "damaged") return "head_damaged";
  const start = readChainStart(tx);
  if (start === "damaged") return "checkpoint_damaged";
  // Older entries were dropped behind a signed checkpoint.
  if (head.seq < start.seq) return undefined;
  const mac = head.seq === start.seq ? start.mac : readMac(tx, head.seq);
  if (mac === head.mac) return undefined;
  return explainMissing(tx, head);
}

/** Checks only the head. Cost is independent of the trail's length. */
export function findTrailFault(): TrailFault | undefined {
  return findHeadFault(db(), recorded ?? readHead());
}

export function forgetHead(): void {
  recorded = undefined;
}

/**
 * Records the trail's newest entry in the data folder, out of reach of database writes. A fault is not overwritten.
 * @param moment the start counts; the end is marked, and what is missing after it was removed
 * @throws Error if the file can't be written
 */
export async function recordHead(moment?: "start" | "end"): Promise<TrailFault | undefined> {
  const file = readHead();
  const expected = recorded ?? file;
  const fault = findHeadFault(db(), expected);
  if (fault) return fault;
  if (moment === "start") transaction((tx) => countStart(tx));
  const newest = newestHead(db(), moment === "end");
  const isNewest = (head: typeof file) =>
    head !== "damaged" &&
    head?.mac === newest.mac &&
    head.starts === newest.starts &&
    (head.isEnd ?? false) === newest.isEnd;
  if (recorded && (file === undefined || file === "damaged" || file.mac !== recorded.mac))
    log.warn("audit.head was removed or changed by another process; rewriting it");
  if (isNewest(expected) && isNewest(file)) recorded = newest;
  else await writeHead(newest);
  return undefined;
}

/** Records the newest entry despite a fault that an owner accepted. */
export function replaceHead(): Promise<void> {
  return writeHead(newestHead(db()));
}
