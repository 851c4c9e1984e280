import { log } from "~/core/log.server";
import { allowAnswers } from "./answer/active-generation.server";
import { recoverAnswers, stopAllAnswers } from "./answer/answers.server";
import { continueDecided } from "./approvals/approvals.service.server";
import { startIndexingAgain } from "./list/index-again.server";

/** Recovers answers after a crash or a stop. @returns a stop function */
export function startChat(): () => Promise<void> {
  allowAnswers();
  const { count, decided } = recoverAnswers();
  if (count > 0) log.warn("answers were interrupted by the last shutdown", { count });
  // Once everything else has started, plugins' tools among it.
  setImmediate(() => void Promise.all(decided.map(continueDecided)));
  const stopIndexing = startIndexingAgain();
  return async () => {
    await Promise.all([stopAllAnswers(), stopIndexing()]);
  };
}
