import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { type SpaceRow, setSpaceKey, supersededKey } from "./chunks.repo.server";
import { estimateEmbedding } from "./embedding-offer.service.server";
import { createIndex, describeIndex } from "./generations/live-indexes.server";
import { wakeIndexes } from "./generations/pending-work.server";
import { matchesTarget, readTarget } from "./generations/target.server";
import { type IndexRow, listIndexes, updateIndex } from "./indexes.repo.server";
import type { RebuildEstimate, SearchIndex } from "./indexes.schema";
import { knowledgeChanged } from "./knowledge-changes.server";
import { toView } from "./rag-status.service.server";
import { findStore } from "./stores/index.server";

function requireIndex(orgId: string, id: string): IndexRow {
  const index = listIndexes(db(), orgId).find((row) => String(row.id) === id && row.state !== "retired");
  if (!index) throw new AppError("not_found", "Index not found. It may have been removed.");
  return index;
}

const viewOf = (orgId: string, id: string): SearchIndex => {
  const [view] = toView(requireIndex(orgId, id), true);
  if (!view) throw new AppError("not_found", "Index not found. It may have been removed.");
  return view;
};

export function cancelIndex(actor: Actor, id: string): SearchIndex {
  authorise(actor, "settings.manage");
  const index = requireIndex(actor.orgId, id);
  if (index.state !== "building") {
    throw new AppError("conflict", "Only an index that is being built can be canceled.");
  }
  transaction((tx) => {
    updateIndex(tx, index.id, { state: "cancelled" });
    append(tx, actor, {
      action: "index.cancelled",
      resource: `index:${index.id}`,
      details: describeIndex(index),
    });
  });
  knowledgeChanged({ orgId: actor.orgId });
  wakeIndexes();
  return viewOf(actor.orgId, id);
}

/** Why no index can be built now. */
function refusalOf(orgId: string, indexes: readonly IndexRow[]): string | undefined {
  if (!readSettings(orgId, "rag").ragEnabled)
    return "RAG is turned off. Turn it on in RAG & Embedding Settings.";
  if (indexes.some(({ state }) => state === "building"))
    return "A new index is already being built. Wait for it to finish or cancel it.";
  if (!indexes.some(({ state }) => state === "serving"))
    return "There are no documents to index. Add one first.";
  return findStore(readTarget(orgId).store)?.problem(orgId);
}

/**
 * The space of the active index, if a rebuild embeds everything again: what is there already was made for these
 * settings, so its model must have changed. The rest of an interrupted build keeps its vectors.
 */
function findSuperseded(orgId: string, indexes: readonly IndexRow[]): SpaceRow | null {
  const active = indexes.find(({ state }) => state === "serving");
  const isRepeated = active?.space?.kind === "model" && matchesTarget(active, readTarget(orgId));
  return isRepeated ? active.space : null;
}

/** What a rebuild would send where, or undefined if it can't be started. */
export function readRebuild(actor: Actor): RebuildEstimate | undefined {
  authorise(actor, "settings.manage");
  const indexes = listIndexes(db(), actor.orgId);
  if (refusalOf(actor.orgId, indexes)) return undefined;
  const sent = estimateEmbedding(actor.orgId);
  return { sent: sent ?? null, again: findSuperseded(actor.orgId, indexes) !== null };
}

/**
 * Starts a new index from the settings, beside the active one, which answers until the new one is whole.
 * @throws AppError `conflict`
 */
export function rebuildIndex(actor: Actor): SearchIndex {
  authorise(actor, "settings.manage");
  const { orgId, userId } = actor;
  const id = transaction((tx) => {
    const indexes = listIndexes(tx, orgId);
    const refusal = refusalOf(orgId, indexes);
    if (refusal) throw new AppError("conflict", refusal);
    for (const { id: old, state } of indexes) {
      if (state === "cancelled" || state === "failed") updateIndex(tx, old, { state: "retired" });
    }
    const superseded = findSuperseded(orgId, indexes);
    if (superseded) setSpaceKey(tx, superseded.id, supersededKey(superseded));
    const indexId = createIndex(tx, orgId, readTarget(orgId), { state: "building", createdBy: userId });
    append(tx, actor, { action: "index.rebuild", resource: `index:${indexId}`, details: {} });
    return indexId;
  });
  knowledgeChanged({ orgId });
  wakeIndexes();
  return viewOf(orgId, String(id));
}
