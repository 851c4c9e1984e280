import type { Actor } from "~/core/actor";
import { db, onCommit } from "~/core/db.server";
import { publish } from "~/features/events/events.service.server";
import { may } from "~/features/members/authorisation.server";
import { listAuthorsAfter, readLast } from "./audit.repo.server";

/** The authors whose entries an actor reads. */
const findVisible = (actor: Actor, authors: readonly string[]) =>
  new Set(may(actor, "audit.all") ? authors : authors.filter((id) => id === actor.userId));

/** Reports new entries to the live stream, by their author. @returns the way to stop */
export function startAuditEvents(): () => void {
  let known = readLast(db())?.seq ?? 0;
  return onCommit(() => {
    const newest = readLast(db())?.seq ?? 0;
    if (newest > known)
      for (const { orgId, userId } of listAuthorsAfter(db(), known))
        publish({ topic: "audit", orgId, id: userId, findVisible });
    known = newest;
  });
}
