import type Database from "better-sqlite3";
import { load } from "sqlite-vec";

/** Whether a connection can search vectors; if not, why, for a person. */
export type VectorExtension = { ok: true; version: string } | { ok: false; reason: string };

/**
 * Loads sqlite-vec into a connection. It may be missing for the platform or forbidden; everything except vectors works
 * without it, so a failure is returned, never thrown.
 */
export function loadVectorExtension(raw: Database.Database): VectorExtension {
  try {
    load(raw);
    return { ok: true, version: String(raw.prepare("SELECT vec_version()").pluck().get()) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
