import { setTimeout as delay } from "node:timers/promises";
import { steadyNow } from "~/core/clock.server";
import { exponentialBackoff } from "~/core/durations";
import { AppError } from "~/core/errors";
import { kept } from "~/core/process.server";

/** In ms. */
const DELAY = { first: 1000, max: 60_000 };
/** Longest backoff that a call waits out, in ms. */
const MAX_WAIT = 1000;

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

/**
 * Opens it unless it is open, after a backoff of at most a second.
 * @param refusal why it can't be opened during the backoff
 * @param isFailure whether an error delays the next attempt
 * @throws AppError `unavailable` during a longer backoff
 */
export function openOnce<T>(
  state: Attempts<T>,
  refusal: string,
  open: () => Promise<T>,
  isFailure: (error: unknown) => boolean = () => true,
): Promise<T> {
  if (state.open) return state.open;
  const wait = state.retryAt - steadyNow();
  if (wait > MAX_WAIT)
    throw new AppError("unavailable", `${refusal} Try again in ${Math.ceil(wait / 1000)} s.`);
  const opening = wait > 0 ? delay(wait).then(open) : open();
  state.open = opening;
  opening.catch((error: unknown) => {
    // Of one that closed before, the failure is counted.
    if (state.open !== opening) return;
    delete state.open;
    if (isFailure(error)) noteFailure(state);
  });
  return opening;
}

/** Forgets what is open, for the caller to close it, and its failures. */
export async function takeOpen<T>(kind: Kind, id: string): Promise<T | undefined> {
  const state = attempts<T>(kind).get(id);
  attempts<T>(kind).delete(id);
  const open = state?.open;
  delete state?.open;
  return open?.catch(() => undefined);
}
