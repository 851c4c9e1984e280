import { onAccessChanged, onGroupsChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { log } from "~/core/log.server";
import { authorise } from "~/features/members/authorisation.server";
import { findSeenDocuments, listProgress, listWithoutVectors } from "./documents.repo.server";
import type { KnowledgeEvent } from "./ingest.schema";
import { onKnowledgeChanged } from "./ingestion/changes.server";
import { ragStatus } from "./rag-status.service.server";
import { shareCounts } from "./shared-counts.server";

/** Changes within this time are told as one, in milliseconds. */
const GATHER = 250;
/** Documents told of in one event. */
const MOST_AT_ONCE = 200;
/** Before it is tried again to count what could not be counted, in milliseconds. */
const MISSED_PAUSE = 2000;

function toEvent(
  actor: Actor,
  ids: readonly string[],
  known: Set<string>,
): Pick<KnowledgeEvent, "documents" | "removed"> {
  const progress = listProgress(db(), ids);
  const withoutVectors = listWithoutVectors(db(), ids);
  const hasVectors = ragStatus(actor).embedder !== null;
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
        hasEmbeddings: row.versionId !== null && hasVectors && !withoutVectors.has(id),
        progress: running ? { ...running, state: running.state === "running" ? "running" : "queued" } : null,
      });
      // Only of what was told before: that anything else was there is none of their business.
    } else if (known.delete(id)) removed.push(id);
  }
  return { documents, removed };
}

/** Tells how documents are searched, each time that this has changed since it was told last, or since it is watched. */
function watchStatus(actor: Actor): () => Pick<KnowledgeEvent, "status"> {
  let told = JSON.stringify(ragStatus(actor));
  return () => {
    const status = ragStatus(actor);
    const now = JSON.stringify(status);
    if (now === told) return {};
    told = now;
    return { status };
  };
}

/**
 * Tells of documents that change, of those alone that the actor sees, and of the indexes they are searched in, a few times
 * a second at most. The listener gets
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
  const relisted = new Set<string>();
  let categoriesChanged = false;
  let changedAt = performance.now();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let recount: NodeJS.Timeout | undefined;
  let told: string | undefined;
  const counts = shareCounts(actor);
  const readStatus = watchStatus(actor);
  const recountIn = (again: number | undefined) => {
    clearTimeout(recount);
    recount = again === undefined ? undefined : setTimeout(tell, again);
  };
  // What was counted for another page of theirs may be older than this one: then it is counted again in a moment.
  const begun = counts.read(changedAt).then(({ stats, again }) => {
    told = JSON.stringify(stats);
    if (!stopped && recount === undefined) recountIn(again);
  }, missed);
  function missed(error: unknown): void {
    log.warn("the documents could not be counted", { error });
    if (!stopped) recountIn(MISSED_PAUSE);
  }
  function tell(): void {
    clearTimeout(timer);
    timer = undefined;
    tellNow().catch(missed);
  }
  async function tellNow(): Promise<void> {
    await begun;
    const { stats: counted, again } = await counts.read(changedAt);
    if (stopped) return;
    const ids = [...changed].slice(0, MOST_AT_ONCE);
    for (const id of ids) changed.delete(id);
    const own = toEvent(actor, ids, known);
    // Of what they don't see they aren't told that it moved either.
    const listed = own.documents.some(({ id }) => relisted.has(id)) || categoriesChanged;
    categoriesChanged = false;
    for (const id of ids) relisted.delete(id);
    const event: KnowledgeEvent = { ...own, listed, stats: counted, ...readStatus() };
    if (changed.size > 0) timer ??= setTimeout(tell, GATHER);
    recountIn(again);
    const stats = JSON.stringify(counted);
    // That something happened to documents of others is nobody's business either.
    const something = event.documents.length + event.removed.length > 0 || listed || event.status;
    const silent = !something && stats === told;
    told = stats;
    if (!silent) listener(event);
  }
  const leaveChanges = onKnowledgeChanged(({ orgId, documentId, listed = false }) => {
    if (orgId !== actor.orgId) return;
    changedAt = performance.now();
    if (documentId) changed.add(documentId);
    if (listed && documentId) relisted.add(documentId);
    else if (listed) categoriesChanged = true;
    timer ??= setTimeout(tell, GATHER);
  });
  const leaveAccess = onAccessChanged((userId, { tokenId }) => {
    if (userId !== actor.userId || (tokenId !== undefined && tokenId !== actor.tokenId)) return;
    stop();
    listener(undefined);
  });
  // Other documents are there for some: their lists are read again.
  const leaveGroups = onGroupsChanged((orgId) => {
    if (orgId !== actor.orgId) return;
    changedAt = performance.now();
    categoriesChanged = true;
    timer ??= setTimeout(tell, GATHER);
  });
  function stop(): void {
    stopped = true;
    leaveGroups();
    clearTimeout(timer);
    clearTimeout(recount);
    counts.leave();
    leaveChanges();
    leaveAccess();
  }
  return stop;
}
