/** What a child process starts its watching thread with. */
export interface WatchTask {
  limitMb: number;
  /** Process id of the console. */
  parent: number;
}

/** With this signal the watching thread ends a process whose memory is beyond its limit: Node gives it no meaning. */
export const OUT_OF_MEMORY_SIGNAL = "SIGUSR2";
