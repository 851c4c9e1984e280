import { createContext, Script } from "node:vm";

const sandbox = createContext({ work: undefined });
const runWork = new Script("work()");
/** Maximum number of attempts on a busy machine. */
const MAX_RUNS = 5;

/**
 * Runs synchronous work, interrupting it after `limit` ms. Retries work that got little processor time, so it must be
 * repeatable.
 * @returns undefined if it took too long
 */
export function runWithTimeLimit<T>(work: () => T, limit: number): { value: T } | undefined {
  let result: { value: T } | undefined;
  sandbox.work = () => {
    result = { value: work() };
  };
  try {
    for (let run = 1; run <= MAX_RUNS; run++) {
      const before = process.threadCpuUsage();
      try {
        runWork.runInContext(sandbox, { timeout: limit });
        return result;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
        const { user, system } = process.threadCpuUsage(before);
        if (user + system > (limit * 1000) / 2) return undefined;
      }
    }
    return undefined;
  } finally {
    sandbox.work = undefined;
  }
}
