import { readFileSync, rmSync, truncateSync } from "node:fs";
import { endianness } from "node:os";
import { join } from "node:path";
import type { TestServer } from "./server";

/** Header sizes of a write-ahead log and its frames, in bytes. */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;

/** Position in the log: sqlite.org/walformat.html, "The WAL-Index File Format". */
interface LogPlace {
  /** Changes when the log restarts. */
  salt: string;
  /** Committed frames. */
  frames: number;
  /** Frames in the database file on disk. */
  safe: number;
  pageSize: number;
}

const logFile = (server: TestServer, ending: string) => join(server.dataDir, `quarterdeck.sqlite-${ending}`);

function stableIndex(file: string): Buffer {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const index = readFileSync(file);
    // The header exists twice; a difference means a write in progress.
    if (index.subarray(0, 48).equals(index.subarray(48, 96))) return index;
  }
  throw new Error(`${file} was never at rest.`);
}

/** Also works for a stopped server. */
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
  // A power loss clears memory: the index is rebuilt.
  rmSync(logFile(server, "shm"));
  return now.frames - stays;
}
