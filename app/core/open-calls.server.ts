import { setTimeout as delay } from "node:timers/promises";
import { followSignal } from "./abort";
import { AppError, RESTARTING } from "./errors";

/** Grace period for calls of disconnected callers on shutdown, in ms. */
const SHUTDOWN_GRACE = 2000;

const openCalls = new Map<Promise<unknown>, AbortController>();

/** Runs a model call whose response a client waits for, so that a shutdown ends it with the reason. */
export async function asOpenCall<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { controller, release } = followSignal(signal);
  const running = work(controller.signal);
  openCalls.set(running, controller);
  try {
    return await running;
  } finally {
    release();
    openCalls.delete(running);
  }
}

/** Aborts open calls; the reason is an AppError for people. */
export function cutOffCalls(): void {
  for (const controller of openCalls.values()) controller.abort(new AppError("unavailable", RESTARTING));
}

/** Resolves when no call is open. */
export async function waitForOpenCalls(): Promise<void> {
  const waiting = new AbortController();
  const tooLong = delay(SHUTDOWN_GRACE, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(openCalls.keys()), tooLong]);
  waiting.abort();
}
