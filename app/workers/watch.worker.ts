import { workerData } from "node:worker_threads";
import { OUT_OF_MEMORY_SIGNAL, ownMemoryMb, type WatchTask } from "~/core/process.server";

/** See core/serve.ts. */
const { limitMb, parent } = workerData as WatchTask;
const INTERVAL_MS = 50;
/** Below the system's limit, which would crash without a reason. */
const SHARE = 0.9;

setInterval(() => {
  // Orphaned: the console has ended.
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  if (ownMemoryMb() > limitMb * SHARE) process.kill(process.pid, OUT_OF_MEMORY_SIGNAL);
}, INTERVAL_MS);
