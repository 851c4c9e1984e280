import type Database from "better-sqlite3";
import { db, onCommit, prepared, rawDatabase, writeCount } from "./db.server";

/** `models` includes providers and keys, `budgets` group members; `settings:…` is a row of `org_settings`. */
type ConfigTopic = "models" | "budgets" | `settings:${string}`;

type Versions = ReadonlyMap<string, number>;

/** By connection: the committed versions, and the number of writes before they were read. */
const committedOf = new WeakMap<Database.Database, { versions: Versions; writes: number }>();

const selectVersions = prepared(() =>
  rawDatabase().prepare<[], [string, number]>("SELECT topic, version FROM config_topics").raw(),
);

function readVersions(raw: Database.Database): { current: Versions; committed: Versions } {
  const known = committedOf.get(raw);
  // Only transactions of this process write, and within one any statement may have.
  if (known && !raw.inTransaction && known.writes === writeCount())
    return { current: known.versions, committed: known.versions };
  const current = new Map(selectVersions(db()).all());
  if (!raw.inTransaction) committedOf.set(raw, { versions: current, writes: writeCount() });
  return { current, committed: raw.inTransaction ? (known?.versions ?? new Map()) : current };
}

function versionOf(topics: readonly ConfigTopic[], versions: Versions): number {
  let highest = 0;
  for (const topic of topics) highest = Math.max(highest, versions.get(topic) ?? 0);
  return highest;
}

const MAX_CACHED = 100;

/**
 * Caches a value until one of its configuration topics changes. Nothing is cached within a transaction that
 * changed a topic, since it may be rolled back.
 * @param topics all that `compute` reads, directly or indirectly
 */
export function cachedByConfig<T>(
  topics: readonly ConfigTopic[],
  compute: (orgId: string) => T,
): (orgId: string) => T {
  const caches = new WeakMap<Database.Database, { version: number; values: Map<string, T> }>();
  return (orgId) => {
    const raw = rawDatabase();
    const { current, committed } = readVersions(raw);
    const version = versionOf(topics, current);
    let state = caches.get(raw);
    const cached = state?.version === version ? state.values.get(orgId) : undefined;
    if (cached !== undefined) return cached;
    const value = compute(orgId);
    if (version !== versionOf(topics, committed)) return value;
    if (state?.version !== version) {
      state = { version, values: new Map() };
      caches.set(raw, state);
    }
    if (state.values.size >= MAX_CACHED) state.values.clear();
    state.values.set(orgId, value);
    return value;
  };
}

/** Calls the listener after each commit that changed one of the topics. */
export function onConfigChanged(topics: readonly ConfigTopic[], listener: () => void): () => void {
  const current = () => versionOf(topics, readVersions(rawDatabase()).current);
  let previous = current();
  return onCommit(`changes of ${topics.join(", ")}`, () => {
    const version = current();
    if (version === previous) return;
    const before = previous;
    previous = version;
    try {
      listener();
    } catch (error) {
      // Called again after the next commit.
      previous = before;
      throw error;
    }
  });
}
