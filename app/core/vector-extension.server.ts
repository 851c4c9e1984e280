import type Database from "better-sqlite3";
import { load } from "sqlite-vec";

export type VectorExtension = { ok: true; version: string } | { ok: false; reason: string };

/** Loads sqlite-vec. It may be missing or forbidden, so a failure is returned, not thrown. */
export function loadVectorExtension(raw: Database.Database): VectorExtension {
  try {
    load(raw);
    return { ok: true, version: String(raw.prepare("SELECT vec_version()").pluck().get()) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
