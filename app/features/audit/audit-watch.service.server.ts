import { log } from "~/core/log.server";
import { noteHead } from "./audit-head.server";

/** Between two looks at the trail's newest entry, in milliseconds. What a crash leaves unnoted is no older. */
const NOTE_EVERY = 1000;

function noteSafely(): Promise<void> {
  return noteHead().catch((error: unknown) =>
    log.error("the audit trail's head could not be noted", { error }),
  );
}

/** Keeps a note of the trail's newest entry outside the database. @returns the way to stop, after a last note */
export function watchAuditHead(): () => Promise<void> {
  let noting: Promise<void> | undefined;
  const note = () => {
    // One at a time, however slow the disk is: two would write the same file.
    noting ??= noteSafely().finally(() => {
      noting = undefined;
    });
  };
  note();
  const timer = setInterval(note, NOTE_EVERY);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await noting;
    await noteSafely();
  };
}
