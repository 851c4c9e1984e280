import { now } from "~/core/clock.server";
import { kept } from "~/core/process.server";

/** Entries kept at once; strangers may create some, so the oldest go first. */
const MAX_ENTRIES = 10_000;
/** Entries of one owner kept at once, so that one stranger can't push out everybody else's. */
const MAX_OWNED = 200;

interface Entry<T> {
  value: T;
  owner: string | undefined;
  expiresAt: number;
}

/** Values that are used once and expire soon. They are in memory: after a restart, a sign-in begins again. */
export interface OneTimeStore<T> {
  /** @param owner such as a network address, whose oldest entry goes once it has 200 */
  put(key: string, value: T, owner?: string): void;
  /** Undefined once it has expired. */
  peek(key: string): T | undefined;
  /** Removes what it returns. */
  take(key: string): T | undefined;
}

/** @param lifetime in ms */
export function oneTimeStore<T>(name: string, lifetime: number): OneTimeStore<T> {
  const entries = () => kept(`one-time: ${name}`, () => new Map<string, Entry<T>>());
  const peek = (key: string) => {
    const entry = entries().get(key);
    return entry && now() < entry.expiresAt ? entry.value : undefined;
  };
  return {
    put(key, value, owner) {
      const all = entries();
      all.delete(key);
      const owned = owner === undefined ? [] : [...all].filter(([, entry]) => entry.owner === owner);
      for (const [oldest] of owned.slice(0, Math.max(0, owned.length + 1 - MAX_OWNED))) all.delete(oldest);
      all.set(key, { value, owner, expiresAt: now() + lifetime });
      // A Map keeps the order of insertion, which is the order of expiry.
      for (const [other, { expiresAt }] of all) {
        if (now() < expiresAt && all.size <= MAX_ENTRIES) break;
        all.delete(other);
      }
    },
    peek,
    take(key) {
      const value = peek(key);
      entries().delete(key);
      return value;
    },
  };
}
