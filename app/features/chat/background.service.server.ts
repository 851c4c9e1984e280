import { log } from "~/core/log.server";
import { allowAnswers, pruneEvents, recoverAnswers, stopAllAnswers } from "./answer/answers.server";

const PRUNE_EVERY = 10 * 60_000;

/** Marks what a crash cut off, then keeps the journal small. @returns the way to stop */
export function startChat(): () => Promise<void> {
  allowAnswers();
  const interrupted = recoverAnswers();
  if (interrupted > 0) log.warn("answers were cut off by the last stop", { count: interrupted });
  const timer = setInterval(pruneEvents, PRUNE_EVERY);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await stopAllAnswers();
  };
}
