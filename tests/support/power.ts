import { readFileSync, rmSync, truncateSync } from "node:fs";
import { endianness } from "node:os";
import { join } from "node:path";
import type { TestServer } from "./server";

/** What comes before the frames of a write-ahead log, and before the page in each of them, in bytes. */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;

/** Where a write-ahead log stands: sqlite.org/walformat.html, "The WAL-Index File Format". */
interface LogPlace {
  /** Another one once the log began again, which it does only when all of it is safe in the database file. */
  salt: string;
  /** What is committed. */
  frames: number;
  /** What is in the database file, and on the disk. */
  safe: number;
  pageSize: number;
}

const logFile = (server: TestServer, ending: string) => join(server.dataDir, `quarterdeck.sqlite-${ending}`);

function stableIndex(file: string): Buffer {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const index = readFileSync(file);
    // Its header is there twice: where they differ, someone is writing it.
    if (index.subarray(0, 48).equals(index.subarray(48, 96))) return index;
  }
  throw new Error(`${file} was never at rest.`);
}

/** Where the log of a server stands, which needn't be running. */
export function logPlace(server: TestServer): LogPlace {
  const index = stableIndex(logFile(server, "shm"));
  const little = endianness() === "LE";
  const number = (at: number) => (little ? index.readUInt32LE(at) : index.readUInt32BE(at));
  return {
    salt: index.subarray(32, 40).toString("hex"),
    frames: number(16),
    safe: number(96),
    pageSize: little ? index.readUInt16LE(14) : index.readUInt16BE(14),
  };
}

/**
 * Takes from a killed server what a loss of power could have taken: the end of its log, somewhere behind what was safe
 * when `promised` was recorded, and in the middle of a frame.
 *
 * @param share of what can be lost, from 0 to 1, that stays
 * @returns how many frames were lost
 */
export function losePower(server: TestServer, promised: LogPlace, share: number): number {
  const now = logPlace(server);
  const least = Math.max(now.safe, now.salt === promised.salt ? promised.frames : 0);
  const stays = least + Math.floor((now.frames - least) * share);
  const torn = stays < now.frames ? (FRAME_HEADER + now.pageSize) / 2 : 0;
  truncateSync(logFile(server, "wal"), LOG_HEADER + stays * (FRAME_HEADER + now.pageSize) + torn);
  // What is in memory is gone: the index of the log is made again from what is left of it.
  rmSync(logFile(server, "shm"));
  return now.frames - stays;
}
