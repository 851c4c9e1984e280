import type Database from "better-sqlite3";
import { onCommit, rawDatabase, writeCount } from "./db.server";

/** Providers, models' settings and keys together; budgets and the members of groups; or a row of `org_settings`. */
type ConfigTopic = "models" | "budgets" | `settings:${string}`;

type Versions = ReadonlyMap<string, number>;

interface Reading {
  /** The highest version, which every change raises, and all of them. */
  latest: Database.Statement;
  all: Database.Statement;
  /** As of the last commit that was looked at, and how much had been written by then. */
  committed: { latest: number; versions: Versions; writes: number };
}

const readings = new WeakMap<Database.Database, Reading>();

function readingOf(raw: Database.Database): Reading {
  let reading = readings.get(raw);
  if (!reading) {
    reading = {
      latest: raw.prepare("SELECT coalesce(max(version), 0) FROM config_topics").pluck(),
      all: raw.prepare("SELECT topic, version FROM config_topics").raw(),
      committed: { latest: -1, versions: new Map(), writes: -1 },
    };
    readings.set(raw, reading);
  }
  return reading;
}

/** The topics' versions as the running transaction has them, and as they are committed. */
function readVersions(raw: Database.Database): { current: Versions; committed: Versions } {
  const { latest, all, committed } = readingOf(raw);
  // Every write goes through a transaction of this process. Inside one each statement may have changed it.
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

/** Rises with every change of one of the topics. */
function versionOf(topics: readonly ConfigTopic[], versions: Versions): number {
  let highest = 0;
  for (const topic of topics) highest = Math.max(highest, versions.get(topic) ?? 0);
  return highest;
}

/** The most organisations whose values are kept. */
const MEMORY = 100;

/**
 * Keeps what is worked out from some topics of the configuration until one of them changes: calls to models come by the
 * thousand, changes by the day. A transaction that has changed none of them works like the rest; one that has keeps
 * nothing, since it may be rolled back.
 *
 * @param topics everything that `compute` reads, directly or through others
 */
export function cachedByConfig<T>(
  topics: readonly ConfigTopic[],
  compute: (orgId: string) => T,
): (orgId: string) => T {
  const kept = new WeakMap<Database.Database, { version: number; values: Map<string, T> }>();
  return (orgId) => {
    const raw = rawDatabase();
    const { current, committed } = readVersions(raw);
    const version = versionOf(topics, current);
    let state = kept.get(raw);
    const known = state?.version === version ? state.values.get(orgId) : undefined;
    if (known !== undefined) return known;
    const made = compute(orgId);
    if (version !== versionOf(topics, committed)) return made;
    if (state?.version !== version) {
      state = { version, values: new Map() };
      kept.set(raw, state);
    }
    if (state.values.size >= MEMORY) state.values.clear();
    state.values.set(orgId, made);
    return made;
  };
}

/** Calls a listener after each commit that changed one of the topics. @returns the way to stop */
export function onConfigChanged(topics: readonly ConfigTopic[], listener: () => void): () => void {
  const current = () => versionOf(topics, readVersions(rawDatabase()).current);
  let known = current();
  return onCommit(() => {
    const version = current();
    if (version === known) return;
    known = version;
    listener();
  });
}
