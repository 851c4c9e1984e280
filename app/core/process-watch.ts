export interface WatchTask {
  limitMb: number;
  parent: number;
}

/** Ends a process that exceeds its memory limit; Node itself doesn't use it. */
export const OUT_OF_MEMORY_SIGNAL = "SIGUSR2";
