import type { Actor } from "~/core/actor";
import { runLater } from "~/core/background.server";
import { db, onCommit } from "~/core/db.server";
import { log } from "~/core/log.server";
import { listAuthorsAfter, readLastEntry } from "~/platform/audit/audit.repo.server";
import { TRAIL_FAULTS, type TrailFault } from "~/platform/audit/audit.shared";
import { forgetHead, recordHead } from "~/platform/audit/verify.service.server";
import { publish } from "~/platform/events/events.service.server";
import { may } from "~/platform/rights/authorization.server";
import { notifyFault } from "~/team/notifications/notify.service.server";

/** Delay before recording the head (ms), so that entries share one write. */
const RECORD_DELAY = 1000;

/** Keeps the head up to date and logs an error if entries are missing. @returns a stop function */
export async function watchAuditHead(): Promise<() => Promise<void>> {
  let recording: Promise<void> | undefined;
  let reported: TrailFault | undefined;
  const recordOnce = async () => {
    const fault = await recordHead();
    if (fault && fault !== reported) {
      log.error(TRAIL_FAULTS[fault], { reason: fault, file: "audit.head" });
      notifyFault(fault, TRAIL_FAULTS[fault]);
    }
    reported = fault;
  };
  // Serialized, as in `writeHead`.
  const record = () => {
    recording ??= recordOnce().finally(() => {
      recording = undefined;
    });
    return recording;
  };
  const tryRecording = () =>
    record().catch((error: unknown) => log.error("could not write the audit trail's head", { error }));
  forgetHead();
  await tryRecording();
  let recordedUpTo = readLastEntry(db())?.seq;
  let timer: NodeJS.Timeout | undefined;
  const recordSoon = () => {
    timer ??= runLater("the head of the audit trail", RECORD_DELAY, async () => {
      timer = undefined;
      const seq = readLastEntry(db())?.seq;
      if (seq === recordedUpTo) return;
      // After an error the next commit tries again.
      await record();
      recordedUpTo = seq;
    });
  };
  const unsubscribe = onCommit("the need for a head of the audit trail", recordSoon);
  return async () => {
    unsubscribe();
    clearTimeout(timer);
    await recording?.catch(() => undefined);
    await tryRecording();
    forgetHead();
  };
}

const findVisible = (actor: Actor, authors: readonly string[]) =>
  new Set(may(actor, "audit.all") ? authors : authors.filter((id) => id === actor.userId));

/** Delay before publishing (ms), so that entries share an event. */
const PUBLISH_DELAY = 20;

export function startAuditEvents(): () => void {
  let publishedUpTo = readLastEntry(db())?.seq ?? 0;
  let timer: NodeJS.Timeout | undefined;
  const publishNew = () => {
    timer = undefined;
    const newest = readLastEntry(db())?.seq ?? 0;
    if (newest > publishedUpTo)
      for (const { orgId, userId } of listAuthorsAfter(db(), publishedUpTo))
        publish({ topic: "audit", orgId, id: userId, findVisible });
    publishedUpTo = newest;
  };
  const unsubscribe = onCommit("the need for live audit entries", () => {
    timer ??= runLater("live audit entries", PUBLISH_DELAY, publishNew);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}
