import { log } from "~/core/log.server";
import { allowAnswers, recoverAnswers, stopAllAnswers } from "./answer/answers.server";

/** Lets answers begin, after marking those that a crash cut off. @returns the way to stop */
export function startChat(): () => Promise<void> {
  allowAnswers();
  const interrupted = recoverAnswers();
  if (interrupted > 0) log.warn("answers were cut off by the last stop", { count: interrupted });
  return stopAllAnswers;
}
