import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { isConsistent } from "./generations/check-index.server";
import { isDirty, wakeIndexes } from "./generations/dirty-indexes.server";
import { failIndex } from "./generations/finish-index.server";
import { createIndex, describeIndex, recountChunks, switchIndex } from "./generations/live-indexes.server";
import { readTarget } from "./generations/target.server";
import { type IndexRow, listIndexes, updateIndex } from "./indexes.repo.server";
import type { SearchIndex } from "./indexes.schema";
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

export async function switchToIndex(actor: Actor, id: string): Promise<SearchIndex> {
  authorise(actor, "settings.manage");
  const index = requireIndex(actor.orgId, id);
  if (index.state !== "ready") {
    const reason =
      index.state === "serving"
        ? "This index is already in use."
        : "This index isn't complete yet. Wait until it is built.";
    throw new AppError("conflict", reason);
  }
  if (isDirty(index.id)) {
    throw new AppError("conflict", "Documents are still being added to this index. Try again in a moment.");
  }
  if (!(await isConsistent(index))) {
    failIndex(index);
    throw new AppError("conflict", "This index is inconsistent. Rebuild it.");
  }
  transaction((tx) => {
    if (isDirty(index.id) || requireIndex(actor.orgId, id).state !== "ready") {
      throw new AppError("conflict", "This index has changed. Reload the page and try again.");
    }
    switchIndex(tx, actor, index);
  });
  void recountChunks(index)
    .catch((error: unknown) => log.error("failed to recount chunks", { error }))
    // Reloads clients with their counts.
    .finally(() => knowledgeChanged({ orgId: actor.orgId }));
  wakeIndexes();
  return viewOf(actor.orgId, id);
}

export function cancelIndex(actor: Actor, id: string): SearchIndex {
  authorise(actor, "settings.manage");
  const index = requireIndex(actor.orgId, id);
  if (index.state !== "building" && index.state !== "ready") {
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

/** Starts a new index from the settings, beside the active one. @throws AppError `conflict` */
export function rebuildIndex(actor: Actor): SearchIndex {
  authorise(actor, "settings.manage");
  const { orgId, userId } = actor;
  if (!readSettings(orgId, "rag").ragEnabled) {
    throw new AppError("conflict", "RAG is turned off. Turn it on in RAG & Embedding Settings.");
  }
  const indexes = listIndexes(db(), orgId);
  if (indexes.some(({ state }) => state === "building" || state === "ready")) {
    throw new AppError("conflict", "A new index is already being built. Wait for it to finish or cancel it.");
  }
  if (!indexes.some(({ state }) => state === "serving")) {
    throw new AppError("conflict", "There are no documents to index. Add one first.");
  }
  const target = readTarget(orgId);
  const problem = findStore(target.store)?.problem(orgId);
  if (problem) throw new AppError("conflict", problem);
  const id = transaction((tx) => {
    for (const { id: old, state } of indexes) {
      if (state === "cancelled" || state === "failed") updateIndex(tx, old, { state: "retired" });
    }
    const indexId = createIndex(tx, orgId, target, {
      state: "building",
      needsApproval: target.needsApproval,
      createdBy: userId,
    });
    append(tx, actor, { action: "index.rebuild", resource: `index:${indexId}`, details: {} });
    return indexId;
  });
  knowledgeChanged({ orgId });
  wakeIndexes();
  return viewOf(orgId, String(id));
}
