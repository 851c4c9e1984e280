import { log } from "~/core/log.server";
import { allowAnswers, recoverAnswers, stopAllAnswers } from "./answer/answers.server";

/** Recovers answers after a crash. @returns a stop function */
export function startChat(): () => Promise<void> {
  allowAnswers();
  const interrupted = recoverAnswers();
  if (interrupted > 0) log.warn("answers were interrupted by the last shutdown", { count: interrupted });
  return stopAllAnswers;
}
