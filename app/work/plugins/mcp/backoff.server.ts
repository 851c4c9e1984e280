import { steadyNow } from "~/core/clock.server";
import { exponentialBackoff } from "~/core/durations";
import { kept } from "~/core/process.server";

/** In ms. */
const DELAY = { first: 1000, max: 60_000 };

/** Connection or command of a server with its failures. */
export interface Attempts<T> {
  open?: Promise<T>;
  failures: number;
  retryAt: number;
}

type Kind = "connections" | "commands";

/** The attempts by server id. */
export function attempts<T>(kind: Kind): Map<string, Attempts<T>> {
  return kept(`attempts of MCP ${kind}`, () => new Map<string, Attempts<T>>());
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
