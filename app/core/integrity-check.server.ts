import { existsSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { findStorageFault } from "./storage-faults.server";

export type CheckExtent = "quick" | "full";

const PRAGMAS = { quick: "quick_check(1)", full: "integrity_check(1)" } as const;
const MAX_LENGTH = 200;

/** @returns SQLite's first finding; undefined for a file that is intact, empty or missing */
export function findCorruption(file: string, extent: CheckExtent): string | undefined {
  if (!existsSync(file) || statSync(file).size === 0) return undefined;
  const raw = new Database(file, { fileMustExist: true, timeout: 5000 });
  try {
    raw.pragma("query_only = ON");
    const verdict = String(raw.pragma(PRAGMAS[extent], { simple: true }));
    return verdict === "ok" ? undefined : verdict.replace(/\s+/g, " ").slice(0, MAX_LENGTH);
  } catch (error) {
    if (findStorageFault(error) === "damaged" && error instanceof Error) return error.message;
    throw error;
  } finally {
    raw.close();
  }
}
