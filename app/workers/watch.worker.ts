import { workerData } from "node:worker_threads";
import { ownMemoryMb } from "~/core/own-memory.server";
import { OUT_OF_MEMORY_SIGNAL, type WatchTask } from "~/core/process-watch";

/** Watches the process it is a thread of: see serve-process.ts. */
const { limitMb, parent } = workerData as WatchTask;
const INTERVAL_MS = 50;
/** Below the system's own limit, which makes a process crash without saying why. */
const SHARE = 0.9;

setInterval(() => {
  // The id of another parent: the console has ended without ending its processes.
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  if (ownMemoryMb() > limitMb * SHARE) process.kill(process.pid, OUT_OF_MEMORY_SIGNAL);
}, INTERVAL_MS);
