import { exponentialBackoff } from "~/core/backoff";
import { steadyNow } from "~/core/clock.server";

/** In ms. */
const DELAY = { first: 1000, max: 60_000 };

/** Connection or command of a server with its failures. */
export interface Attempts<T> {
  open?: Promise<T>;
  failures: number;
  retryAt: number;
}

type Kind = "connections" | "commands";

// Survives module re-evaluation in development.
const holder = globalThis as typeof globalThis & {
  quarterdeckMcp?: Partial<Record<Kind, Map<string, Attempts<unknown>>>>;
};

/** The attempts by server id. */
export function attempts<T>(kind: Kind): Map<string, Attempts<T>> {
  holder.quarterdeckMcp ??= {};
  holder.quarterdeckMcp[kind] ??= new Map();
  return holder.quarterdeckMcp[kind] as Map<string, Attempts<T>>;
}

export function attemptsAt<T>(kind: Kind, id: string): Attempts<T> {
  const all = attempts<T>(kind);
  const existing = all.get(id) ?? { failures: 0, retryAt: 0 };
  all.set(id, existing);
  return existing;
}

export function noteFailure(state: Attempts<unknown>): void {
  state.failures += 1;
  state.retryAt = steadyNow() + exponentialBackoff(state.failures - 1, DELAY);
}
