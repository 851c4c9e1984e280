import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Db, db, rawDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { sameSecret } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { isUnused, readChainStart, readLastEntry, readMac } from "./audit.repo.server";
import type { TrailFault } from "./audit.shared";
import { chainKey, GENESIS } from "./chain.server";

const Head = z.object({ seq: z.int().nonnegative(), mac: z.string(), signature: z.string() });
type Head = Pick<z.infer<typeof Head>, "seq" | "mac">;

let recorded: Head | undefined;

const headFile = () => join(dataDir(), "audit.head");

function signatureOf({ seq, mac }: Head): string {
  return createHmac("sha256", chainKey())
    .update(JSON.stringify(["quarterdeck-audit-head-1", seq, mac]))
    .digest("base64url");
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
  recorded = { seq: head.seq, mac: head.mac };
}

const newestHead = (tx: Db): Head => readLastEntry(tx) ?? { seq: 0, mac: GENESIS };

function findHeadFault(tx: Db, head: Head | "damaged" | undefined): TrailFault | undefined {
  if (head === undefined) return isUnused(tx) ? undefined : "head_missing";
  if (head === "damaged") return "head_damaged";
  const start = readChainStart(tx);
  if (start === "damaged") return "checkpoint_damaged";
  // Older entries were dropped behind a signed checkpoint.
  if (head.seq < start.seq) return undefined;
  const mac = head.seq === start.seq ? start.mac : readMac(tx, head.seq);
  return mac === head.mac ? undefined : "entries_missing";
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
 * @throws Error if the file can't be written
 */
export async function recordHead(): Promise<TrailFault | undefined> {
  const file = readHead();
  const expected = recorded ?? file;
  const fault = findHeadFault(db(), expected);
  if (fault) return fault;
  const newest = newestHead(db());
  const isNewest = (head: typeof file) => head !== "damaged" && head?.mac === newest.mac;
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
