import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Db, db, rawDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { sameSecret } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { isUnused, readLast, readMac } from "./audit.repo.server";
import { GENESIS } from "./chain.server";
import { chainKey } from "./chain-key.server";
import { readChainStart } from "./checkpoint.server";
import type { TrailFault } from "./trail.schema";

/** The newest entry as it was last noted outside the database; 0 before the first. */
const Head = z.object({ seq: z.int().nonnegative(), mac: z.string(), signature: z.string() });
type Head = Pick<z.infer<typeof Head>, "seq" | "mac">;

/** What this process noted itself: while it runs, the file is a copy of it. */
let noted: Head | undefined;

const headFile = () => join(dataDir(), "audit.head");

function signatureOf({ seq, mac }: Head): string {
  return createHmac("sha256", chainKey())
    .update(JSON.stringify(["quarterdeck-audit-head-1", seq, mac]))
    .digest("base64url");
}

/** @returns undefined when there is none, "damaged" when the file isn't one that this console signed */
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

/**
 * Brings the log's entries to the disk. Some are committed without that, and a loss of power would take from the trail
 * what its head names. (SQLite holds no lock on this file that closing it could drop.)
 */
async function syncDatabaseLog(): Promise<void> {
  const handle = await open(`${rawDatabase().name}-wal`, "r").catch(() => undefined);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

let writing: Promise<void> = Promise.resolve();

/** One at a time: two would write the same file. */
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
  noted = { seq: head.seq, mac: head.mac };
}

const newestHead = (tx: Db): Head => readLast(tx) ?? { seq: 0, mac: GENESIS };

function judge(tx: Db, head: Head | "damaged" | undefined): TrailFault | undefined {
  if (head === undefined) return isUnused(tx) ? undefined : "head_missing";
  if (head === "damaged") return "head_damaged";
  const start = readChainStart(tx);
  if (start === "damaged") return "checkpoint_damaged";
  // What was dropped since it was noted is behind a signed checkpoint.
  if (head.seq < start.seq) return undefined;
  const mac = head.seq === start.seq ? start.mac : readMac(tx, head.seq);
  return mac === head.mac ? undefined : "entries_missing";
}

/** Why the trail's end can't be trusted; undefined when it can. Costs two reads, independent of the trail's length. */
export function findTrailFault(): TrailFault | undefined {
  return judge(db(), noted ?? readHead());
}

/** Reads the file again, as a new process would. */
export function forgetHead(): void {
  noted = undefined;
}

/**
 * Notes the trail's newest entry in the data folder, where who can only write the database can't reach it. With a fault
 * nothing is noted, so that it isn't covered up.
 *
 * @returns the fault
 * @throws Error when the file can't be written
 */
export async function noteHead(): Promise<TrailFault | undefined> {
  const file = readHead();
  const known = noted ?? file;
  const fault = judge(db(), known);
  if (fault) return fault;
  const newest = newestHead(db());
  const isNoted = (head: typeof file) => head !== "damaged" && head?.mac === newest.mac;
  if (noted && (file === undefined || file === "damaged" || file.mac !== noted.mac))
    log.warn("audit.head was removed or changed by another process and is written again");
  if (isNoted(known) && isNoted(file)) noted = newest;
  else await writeHead(newest);
  return undefined;
}

/** Notes the trail's newest entry although there is a fault: someone with the right to do so accepted it. */
export function replaceHead(): Promise<void> {
  return writeHead(newestHead(db()));
}
