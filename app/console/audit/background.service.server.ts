import type { Actor } from "~/core/actor";
import { runLater } from "~/core/background.server";
import { db, onCommit, runInBatches } from "~/core/db.server";
import { log } from "~/core/log.server";
import { indexNext, listAuthorsAfter, readIndexed, readLastEntry } from "~/platform/audit/audit.repo.server";
import { TRAIL_FAULTS, type TrailFault } from "~/platform/audit/audit.shared";
import { forgetHead, recordHead } from "~/platform/audit/audit-head.server";
import { publish } from "~/platform/events/events.service.server";
import { may } from "~/platform/rights/authorization.server";
import { notifyFault } from "~/team/notifications/notify.service.server";

/**
 * Does work a while after the start and after each commit, so that several entries share it. After an error the next
 * commit tries again.
 * @returns a stop function
 */
function followCommits(name: string, delayMs: number, work: () => unknown): () => void {
  let timer: NodeJS.Timeout | undefined;
  const workSoon = () => {
    timer ??= runLater(name, delayMs, () => {
      timer = undefined;
      return work();
    });
  };
  workSoon();
  const unsubscribe = onCommit(`the need for ${name}`, workSoon);
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}

/** Keeps the head up to date and logs an error if entries are missing. @returns a stop function */
export async function watchAuditHead(): Promise<() => Promise<void>> {
  let recording: Promise<void> | undefined;
  let reported: TrailFault | undefined;
  const recordOnce = async (moment?: "start" | "end") => {
    const fault = await recordHead(moment);
    if (fault && fault !== reported) {
      log.error(TRAIL_FAULTS[fault], { reason: fault, file: "audit.head" });
      notifyFault(fault, TRAIL_FAULTS[fault]);
    }
    reported = fault;
  };
  // Serialized, as in `writeHead`.
  const record = (moment?: "start" | "end") => {
    recording ??= recordOnce(moment).finally(() => {
      recording = undefined;
    });
    return recording;
  };
  const tryRecording = (moment: "start" | "end") =>
    record(moment).catch((error: unknown) => log.error("could not write the audit trail's head", { error }));
  forgetHead();
  await tryRecording("start");
  let recordedUpTo = readLastEntry(db())?.seq;
  const stop = followCommits("the head of the audit trail", 1000, async () => {
    const seq = readLastEntry(db())?.seq;
    if (seq === recordedUpTo) return;
    await record();
    recordedUpTo = seq;
  });
  return async () => {
    stop();
    await recording?.catch(() => undefined);
    await tryRecording("end");
    forgetHead();
  };
}

const findVisible = (actor: Actor, authors: readonly string[]) =>
  new Set(may(actor, "audit.all") ? authors : authors.filter((id) => id === actor.userId));

/** @returns a stop function */
export function startAuditEvents(): () => void {
  let publishedUpTo = readLastEntry(db())?.seq ?? 0;
  return followCommits("live audit entries", 20, () => {
    const newest = readLastEntry(db())?.seq ?? 0;
    if (newest > publishedUpTo)
      for (const { orgId, userId } of listAuthorsAfter(db(), publishedUpTo))
        publish({ topic: "audit", orgId, id: userId, findVisible });
    publishedUpTo = newest;
  });
}

const CHUNK = 20;

export async function indexEntries(signal?: AbortSignal): Promise<void> {
  let isDone = (readLastEntry(db())?.seq ?? 0) <= readIndexed(db());
  function* chunks() {
    while (!isDone) yield CHUNK;
  }
  await runInBatches(
    chunks(),
    (tx, size) => {
      isDone = indexNext(tx, size) < size;
    },
    { durable: false, ...(signal ? { signal } : {}) },
  );
}

/** Searches scan what isn't indexed yet. @returns a stop function */
export function startAuditIndex(): () => Promise<void> {
  const stopping = new AbortController();
  let indexing: Promise<void> = Promise.resolve();
  const stop = followCommits("the search index of the audit trail", 2000, () => {
    indexing = indexing
      .catch(() => undefined)
      .then(() => indexEntries(stopping.signal))
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error;
      });
    return indexing;
  });
  return async () => {
    stop();
    stopping.abort();
    await indexing.catch(() => undefined);
  };
}
