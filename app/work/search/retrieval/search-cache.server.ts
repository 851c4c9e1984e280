import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { makeCache } from "~/platform/settings/caches.service.server";
import { readGroupState } from "~/platform/settings/read-settings.service.server";
import { activeIndex } from "~/work/index/generations/live-indexes.server";
import { findDocuments } from "~/work/index/indexes.repo.server";
import { knowledgeVersion } from "~/work/index/knowledge-changes.server";

interface CachedResult {
  passages: readonly { documentId: string }[];
}

/** A result holds up to fifty passages, about 100 KB. */
const MAX_ENTRIES = 200;

const cache = makeCache<CachedResult>("searches", MAX_ENTRIES);

function keyOf({ orgId, userId }: Actor, request: unknown): string {
  const state = [activeIndex(orgId)?.id ?? 0, knowledgeVersion(orgId), readGroupState(orgId, "rag").version];
  return JSON.stringify([userId, ...state, request]);
}

function isVisible(actor: Actor, { passages }: CachedResult): boolean {
  const ids = [...new Set(passages.map(({ documentId }) => documentId))];
  return findDocuments(db(), actor, ids).length === ids.length;
}

/**
 * Caches search results per user until documents, indexes or settings change.
 * @param isCacheable whether a result may be cached
 */
export async function cachedSearch<Result extends CachedResult>(
  actor: Actor,
  request: unknown,
  search: () => Promise<Result>,
  isCacheable: (result: Result) => boolean,
): Promise<Result> {
  const key = keyOf(actor, request);
  // Equal keys imply the same result type.
  const cached = cache.get(actor.orgId, key) as Result | undefined;
  if (cached && isVisible(actor, cached)) return cached;
  const result = await search();
  if (isCacheable(result)) cache.set(actor.orgId, key, result);
  return result;
}
