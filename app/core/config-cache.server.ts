import type Database from "better-sqlite3";
import { rawDatabase, writeCount } from "./db.server";

interface Reading {
  statement: Database.Statement;
  /** The version that was read last, and how much had been written by then. */
  version: number;
  writes: number;
  /** The version that was read last outside of a transaction. */
  committed: number;
}

const readings = new WeakMap<Database.Database, Reading>();

/** Grows with every change of providers, models' settings, keys and organisations' settings (triggers count it). */
function readVersion(raw: Database.Database): Reading {
  let reading = readings.get(raw);
  if (!reading) {
    const statement = raw.prepare("SELECT version FROM config_versions WHERE id = 1").pluck();
    reading = { statement, version: 0, writes: -1, committed: -1 };
    readings.set(raw, reading);
  }
  // Every write goes through a transaction of this process. Inside one each statement may have changed it.
  if (reading.writes !== writeCount() || raw.inTransaction) {
    reading.version = reading.statement.get() as number;
    reading.writes = raw.inTransaction ? -1 : writeCount();
    if (!raw.inTransaction) reading.committed = reading.version;
  }
  return reading;
}

/** The most organisations whose values are kept. */
const MEMORY = 100;

/**
 * Keeps what is worked out from providers, models' settings, keys or an organisation's settings until one of them
 * changes: calls to models come by the thousand, changes by the day. A transaction that has changed none of them works
 * like the rest; one that has keeps nothing, since it may be rolled back.
 */
export function cachedByConfig<T>(compute: (orgId: string) => T): (orgId: string) => T {
  const kept = new WeakMap<Database.Database, { version: number; values: Map<string, T> }>();
  return (orgId) => {
    const raw = rawDatabase();
    const { version, committed } = readVersion(raw);
    let state = kept.get(raw);
    const known = state?.version === version ? state.values.get(orgId) : undefined;
    if (known !== undefined) return known;
    const made = compute(orgId);
    if (version !== committed) return made;
    if (state?.version !== version) {
      state = { version, values: new Map() };
      kept.set(raw, state);
    }
    if (state.values.size >= MEMORY) state.values.clear();
    state.values.set(orgId, made);
    return made;
  };
}
