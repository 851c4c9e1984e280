import { log } from "~/core/log.server";
import { forgetHead, noteHead } from "./audit-head.server";
import { TRAIL_FAULTS, type TrailFault } from "./trail.schema";

/** Delay between two notes of the newest entry, in milliseconds. What a crash leaves unnoted is no older. */
const NOTE_EVERY = 1000;

/**
 * Keeps a note of the trail's newest entry outside the database, and logs an error when entries are missing from the
 * trail's end. Resolves after the first note.
 *
 * @returns the way to stop, after a last note
 */
export async function watchAuditHead(): Promise<() => Promise<void>> {
  let noting: Promise<void> | undefined;
  let reported: TrailFault | undefined;
  const noteOnce = async () => {
    try {
      const fault = await noteHead();
      if (fault && fault !== reported) log.error(TRAIL_FAULTS[fault], { reason: fault, file: "audit.head" });
      reported = fault;
    } catch (error) {
      log.error("the audit trail's head could not be noted", { error });
    }
  };
  // One at a time, however slow the disk is: two would write the same file.
  const note = () => {
    noting ??= noteOnce().finally(() => {
      noting = undefined;
    });
    return noting;
  };
  forgetHead();
  await note();
  const timer = setInterval(note, NOTE_EVERY);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await noting;
    await note();
    forgetHead();
  };
}
