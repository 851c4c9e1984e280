import { db, onCommit } from "~/core/db.server";
import { log } from "~/core/log.server";
import { readLast } from "./audit.repo.server";
import { forgetHead, noteHead } from "./audit-head.server";
import { notifyFault } from "./notify-fault.server";
import { TRAIL_FAULTS, type TrailFault } from "./trail.schema";

/** Delay from an entry to its note, in ms, so that many entries share one. What a crash leaves unnoted is no older. */
const NOTE_DELAY = 1000;

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
      if (fault && fault !== reported) {
        log.error(TRAIL_FAULTS[fault], { reason: fault, file: "audit.head" });
        notifyFault(fault, TRAIL_FAULTS[fault]);
      }
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
  let known = readLast(db())?.seq;
  let timer: NodeJS.Timeout | undefined;
  const noteSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void note();
    }, NOTE_DELAY).unref();
  };
  const leave = onCommit(() => {
    const seq = readLast(db())?.seq;
    if (seq === known) return;
    known = seq;
    noteSoon();
  });
  return async () => {
    leave();
    clearTimeout(timer);
    await noting;
    await note();
    forgetHead();
  };
}
