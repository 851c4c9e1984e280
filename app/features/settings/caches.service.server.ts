import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { append } from "../audit/audit.service.server";
import { authorise } from "../members/authorisation.server";
import { readSettings } from "./read-settings.service.server";

interface Cache<V> {
  /** The value, if caching is on and it isn't older than the cache timeout. */
  get(orgId: string, key: string): V | undefined;
  /** Keeps a value; the one that wasn't used for longest gives way. */
  set(orgId: string, key: string, value: V): void;
}

interface Entry {
  orgId: string;
  at: number;
  value: unknown;
}

type Caches = Map<string, Map<string, Entry>>;

// Caches outlive a module's re-evaluation in development, and end with their database.
const holder = globalThis as typeof globalThis & { quarterdeckCaches?: WeakMap<object, Caches> };

function allCaches(): Caches {
  holder.quarterdeckCaches ??= new WeakMap();
  const caches = holder.quarterdeckCaches.get(rawDatabase()) ?? new Map<string, Map<string, Entry>>();
  holder.quarterdeckCaches.set(rawDatabase(), caches);
  return caches;
}

function entriesOf(name: string): Map<string, Entry> {
  const entries = allCaches().get(name) ?? new Map<string, Entry>();
  allCaches().set(name, entries);
  return entries;
}

/** Whether something cached at a time may still be used: caching is on, and it isn't older than the cache timeout. */
export function isCacheFresh(orgId: string, at: number): boolean {
  const { enableCaching, cacheTimeout } = readSettings(orgId, "performance");
  const age = now() - at;
  return enableCaching && age >= 0 && age < cacheTimeout * 1000;
}

/** A bounded cache in memory that obeys the organization's settings and is emptied by Clear Cache. */
export function makeCache<V>(name: string, most: number): Cache<V> {
  return {
    get(orgId, key) {
      const entries = entriesOf(name);
      const full = `${orgId}\n${key}`;
      const found = entries.get(full);
      if (!found) return undefined;
      entries.delete(full);
      if (!isCacheFresh(orgId, found.at)) return undefined;
      entries.set(full, found);
      // Only this cache writes entries under its name.
      return found.value as V;
    },
    set(orgId, key, value) {
      if (!readSettings(orgId, "performance").enableCaching) return;
      const entries = entriesOf(name);
      const full = `${orgId}\n${key}`;
      entries.delete(full);
      const [oldest] = entries.keys();
      if (entries.size >= most && oldest !== undefined) entries.delete(oldest);
      entries.set(full, { orgId, at: now(), value });
    },
  };
}

const ownKeys = (entries: ReadonlyMap<string, Entry>, orgId: string) =>
  [...entries].flatMap(([key, entry]) => (entry.orgId === orgId ? [key] : []));

/** How many values of the organization are cached. */
export function countCached(actor: Actor): number {
  authorise(actor, "settings.manage");
  return [...allCaches().values()].reduce(
    (total, entries) => total + ownKeys(entries, actor.orgId).length,
    0,
  );
}

/** Empties the organization's caches. @returns how many values they held */
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
