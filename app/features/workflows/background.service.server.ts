import { log } from "~/core/log.server";
import { dropEngine, engine } from "./engine/index.server";

/** @returns a stop function; the next process continues the runs */
export function startWorkflows(): () => Promise<void> {
  const continued = engine().recover();
  if (continued > 0) log.warn("resumed workflow runs", { count: continued });
  return async () => {
    await engine().stop();
    dropEngine();
  };
}
