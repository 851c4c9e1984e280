import { log } from "~/core/log.server";
import { dropEngine, engine } from "./engine/index.server";

/** Continues the runs of the last process. @returns the way to stop, which lets the next process continue them */
export function startWorkflows(): () => Promise<void> {
  const continued = engine().recover();
  if (continued > 0) log.warn("workflow runs go on after the last stop", { count: continued });
  return async () => {
    await engine().stop();
    dropEngine();
  };
}
