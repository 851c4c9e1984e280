import type Database from "better-sqlite3";
import { onCommit, rawDatabase, writeCount } from "./db.server";

/** `models` includes providers and keys, `budgets` group members; `settings:…` is a row of `org_settings`. */
type ConfigTopic = "models" | "budgets" | `settings:${string}`;

type Versions = ReadonlyMap<string, number>;

interface VersionReader {
  latest: Database.Statement;
  all: Database.Statement;
  committed: { latest: number; versions: Versions; writes: number };
}

const readers = new WeakMap<Database.Database, VersionReader>();

function readerOf(raw: Database.Database): VersionReader {
  let reader = readers.get(raw);
  if (!reader) {
    reader = {
      latest: raw.prepare("SELECT coalesce(max(version), 0) FROM config_topics").pluck(),
      all: raw.prepare("SELECT topic, version FROM config_topics").raw(),
      committed: { latest: -1, versions: new Map(), writes: -1 },
    };
    readers.set(raw, reader);
  }
  return reader;
}

function readVersions(raw: Database.Database): { current: Versions; committed: Versions } {
  const { latest, all, committed } = readerOf(raw);
  // Only transactions of this process write, and within one any statement may have.
  if (!raw.inTransaction && committed.writes === writeCount()) {
    return { current: committed.versions, committed: committed.versions };
  }
  const highest = latest.get() as number;
  const changed = highest !== committed.latest;
  const current = changed ? new Map(all.all() as [string, number][]) : committed.versions;
  if (!raw.inTransaction) {
    committed.latest = highest;
    committed.versions = current;
    committed.writes = writeCount();
  }
  return { current, committed: committed.versions };
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
