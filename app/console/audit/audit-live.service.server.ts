import type { Actor } from "~/core/actor";
import { runLater } from "~/core/background.server";
import { db, onCommit } from "~/core/db.server";
import { listAuthorsAfter, readLastEntry } from "~/platform/audit/audit.repo.server";
import { publish } from "~/platform/events/events.service.server";
import { may } from "~/platform/rights/authorization.server";

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
