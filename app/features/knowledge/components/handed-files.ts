import { type Dropped, NOTHING_DROPPED } from "./picked-files";

// Files can't be in a URL: they wait here for the screen that takes them.
let waiting: Dropped = NOTHING_DROPPED;

/** Keeps files for the ingest dialog that is about to be opened. */
export function handOver(dropped: Dropped): void {
  waiting = dropped;
}

/** The files that wait, once. */
export function takeHandedOver(): Dropped {
  const taken = waiting;
  waiting = NOTHING_DROPPED;
  return taken;
}
