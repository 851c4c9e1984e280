import { EventEmitter } from "node:events";
import { onGroupsChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { kept } from "~/core/process.server";
import { publish, rememberViewers } from "~/platform/events/events.service.server";
import { findDocuments } from "./indexed-documents.repo.server";

export interface KnowledgeChange {
  orgId: string;
  documentId?: string | undefined;
  jobId?: string | undefined;
}

const versions = () => kept("versions of documents", () => new Map<string, number>());
const emitter = () => kept("changes of documents", () => new EventEmitter().setMaxListeners(0));

export const knowledgeVersion = (orgId: string): number => versions().get(orgId) ?? 0;

/** Call after the commit. */
export function knowledgeChanged(change: KnowledgeChange): void {
  const { orgId, documentId: id } = change;
  versions().set(orgId, knowledgeVersion(orgId) + 1);
  emitter().emit("changed", change);
  publish(id === undefined ? { topic: "documents", orgId } : { topic: "documents", orgId, id, findVisible });
}

const findVisible = (actor: Actor, ids: readonly string[]) =>
  new Set(findDocuments(db(), actor, ids).map(({ id }) => id));

/** Publishes changes of group membership as changes of visible documents. @returns a stop function */
export function followGroups(): () => void {
  return onGroupsChanged((orgId) => knowledgeChanged({ orgId }));
}

/** Call before hiding or deleting a document. @returns a function to call after the commit */
export function rememberDocumentViewers(orgId: string, id: string): () => void {
  return rememberViewers({ topic: "documents", orgId, id, findVisible });
}

/** @returns the function that stops listening */
export function onKnowledgeChanged(listener: (change: KnowledgeChange) => void): () => void {
  emitter().on("changed", listener);
  return () => emitter().off("changed", listener);
}
