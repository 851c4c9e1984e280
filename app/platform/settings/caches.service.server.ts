import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { kept } from "~/core/process.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { readSettings } from "./settings.service.server";

interface Cache<V> {
  get(orgId: string, key: string): V | undefined;
  set(orgId: string, key: string, value: V): void;
}

interface Entry {
  orgId: string;
  at: number;
  value: unknown;
}

type Caches = Map<string, Map<string, Entry>>;

// They end with their database.
const byDatabase = () => kept("caches", () => new WeakMap<object, Caches>());

function allCaches(): Caches {
  const caches = byDatabase().get(rawDatabase()) ?? new Map<string, Map<string, Entry>>();
  byDatabase().set(rawDatabase(), caches);
  return caches;
}

function entriesOf(name: string): Map<string, Entry> {
  const entries = allCaches().get(name) ?? new Map<string, Entry>();
  allCaches().set(name, entries);
  return entries;
}

export function isCacheFresh(orgId: string, at: number): boolean {
  const { enableCaching, cacheTimeout } = readSettings(orgId, "performance");
  const age = now() - at;
  return enableCaching && age >= 0 && age < cacheTimeout * 1000;
}

export function makeCache<V>(name: string, max: number): Cache<V> {
  return {
    get(orgId, key) {
      const entries = entriesOf(name);
      const full = `${orgId}\n${key}`;
      const entry = entries.get(full);
      if (!entry) return undefined;
      entries.delete(full);
      if (!isCacheFresh(orgId, entry.at)) return undefined;
      entries.set(full, entry);
      // Only this cache writes under its name.
      return entry.value as V;
    },
    set(orgId, key, value) {
      if (!readSettings(orgId, "performance").enableCaching) return;
      const entries = entriesOf(name);
      const full = `${orgId}\n${key}`;
      entries.delete(full);
      const [oldest] = entries.keys();
      if (entries.size >= max && oldest !== undefined) entries.delete(oldest);
      entries.set(full, { orgId, at: now(), value });
    },
  };
}

const ownKeys = (entries: ReadonlyMap<string, Entry>, orgId: string) =>
  [...entries].flatMap(([key, entry]) => (entry.orgId === orgId ? [key] : []));

export function countCached(actor: Actor): number {
  authorise(actor, "settings.manage");
  return [...allCaches().values()].reduce(
    (total, entries) => total + ownKeys(entries, actor.orgId).length,
    0,
  );
}

export function clearCaches(actor: Actor): { cleared: number } {
  authorise(actor, "settings.manage");
  const cleared = countCached(actor);
  for (const entries of allCaches().values())
    for (const key of ownKeys(entries, actor.orgId)) entries.delete(key);
  transaction((tx) =>
    append(tx, actor, { action: "cache.cleared", resource: "settings:performance", details: { cleared } }),
  );
  return { cleared };
}
