import type Database from "better-sqlite3";
import { rawDatabase } from "./db.server";

const statements = new WeakMap<Database.Database, Database.Statement>();

/** Grows with every change of providers, models' settings, keys and organisations' settings (triggers count it). */
function configVersion(raw: Database.Database): number {
  let statement = statements.get(raw);
  if (!statement) {
    statement = raw.prepare("SELECT version FROM config_versions WHERE id = 1").pluck();
    statements.set(raw, statement);
  }
  return statement.get() as number;
}

/** The most organisations whose values are kept. */
const MEMORY = 100;

/**
 * Keeps what is worked out from providers, models' settings, keys or an organisation's settings until one of them
 * changes: calls to models come by the thousand, changes by the day. Inside a write transaction nothing is kept, since
 * it may be rolled back.
 */
export function cachedByConfig<T>(compute: (orgId: string) => T): (orgId: string) => T {
  const kept = new WeakMap<Database.Database, { version: number; values: Map<string, T> }>();
  return (orgId) => {
    const raw = rawDatabase();
    if (raw.inTransaction) return compute(orgId);
    const version = configVersion(raw);
    let state = kept.get(raw);
    if (state?.version !== version) {
      state = { version, values: new Map() };
      kept.set(raw, state);
    }
    const known = state.values.get(orgId);
    if (known !== undefined) return known;
    const made = compute(orgId);
    if (state.values.size >= MEMORY) state.values.clear();
    state.values.set(orgId, made);
    return made;
  };
}
