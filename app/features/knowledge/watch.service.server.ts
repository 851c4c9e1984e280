import { onAccessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { authorise } from "~/features/members/authorisation.server";
import { findSeenDocuments, listProgress } from "./documents.repo.server";
import type { KnowledgeEvent } from "./ingest.schema";
import { onKnowledgeChanged } from "./ingestion/changes.server";
import { shareCounts } from "./shared-counts.server";

/** Changes within this time are told as one, in milliseconds. */
const GATHER = 250;
/** Documents told of in one event. */
const MOST_AT_ONCE = 200;

function toEvent(
  actor: Actor,
  ids: readonly string[],
  known: Set<string>,
): Pick<KnowledgeEvent, "documents" | "removed"> {
  const progress = listProgress(db(), ids);
  const rows = new Map(findSeenDocuments(db(), actor, ids).map((row) => [row.id, row]));
  const documents: KnowledgeEvent["documents"] = [];
  const removed: string[] = [];
  for (const id of ids) {
    const row = rows.get(id);
    if (row) {
      known.add(id);
      const running = progress.get(id);
      documents.push({
        id,
        status: row.status,
        error: row.error,
        chunks: row.chunkCount,
        progress: running ? { ...running, state: running.state === "running" ? "running" : "queued" } : null,
      });
      // Only of what was told before: that anything else was there is none of their business.
    } else if (known.delete(id)) removed.push(id);
  }
  return { documents, removed };
}

/**
 * Tells of documents that change, of those alone that the actor sees, a few times a second at most. The listener gets
 * `undefined` at the end: when the actor's access has changed, so that whoever may go on asks anew.
 *
 * @returns the way to stop
 */
export function watchKnowledge(
  actor: Actor,
  listener: (event: KnowledgeEvent | undefined) => void,
): () => void {
  authorise(actor, "screens.read");
  const known = new Set<string>();
  const changed = new Set<string>();
  let changedAt = performance.now();
  const counts = shareCounts(actor);
  // What was counted for another page of theirs may be older than this one: then it is counted again in a moment.
  const first = counts.read(changedAt);
  let timer: NodeJS.Timeout | undefined;
  let recount = first.again === undefined ? undefined : setTimeout(() => tell(), first.again);
  let told = JSON.stringify(first.stats);
  const tell = () => {
    clearTimeout(timer);
    clearTimeout(recount);
    timer = undefined;
    const ids = [...changed].slice(0, MOST_AT_ONCE);
    for (const id of ids) changed.delete(id);
    const { stats: counted, again } = counts.read(changedAt);
    const event = { ...toEvent(actor, ids, known), stats: counted };
    if (changed.size > 0) timer = setTimeout(tell, GATHER);
    if (again !== undefined) recount = setTimeout(tell, again);
    const stats = JSON.stringify(counted);
    // That something happened to documents of others is nobody's business either.
    const silent = event.documents.length + event.removed.length === 0 && stats === told;
    told = stats;
    if (!silent) listener(event);
  };
  const leaveChanges = onKnowledgeChanged(({ orgId, documentId }) => {
    if (orgId !== actor.orgId) return;
    changedAt = performance.now();
    if (documentId) changed.add(documentId);
    timer ??= setTimeout(tell, GATHER);
  });
  const leaveAccess = onAccessChanged((userId, { tokenId }) => {
    if (userId !== actor.userId || (tokenId !== undefined && tokenId !== actor.tokenId)) return;
    stop();
    listener(undefined);
  });
  function stop(): void {
    clearTimeout(timer);
    clearTimeout(recount);
    counts.leave();
    leaveChanges();
    leaveAccess();
  }
  return stop;
}
