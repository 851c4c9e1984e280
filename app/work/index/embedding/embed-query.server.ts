import { AppError } from "~/core/errors";
import { makeCache } from "~/platform/settings/caches.service.server";
import type { SpaceRow } from "../embeddings.repo.server";
import { systemActor } from "../system-actor.server";
import { embedTexts } from "./embed-texts.server";
import { embedLexically } from "./lexical-embedder";
import { embedderOf } from "./space.server";

/** Maximum time to embed a query (ms); afterwards keywords are used alone. */
const QUERY_TIME = 4000;
/** Paging and filtering repeat the same query. */
const cache = makeCache<Float32Array>("query-embeddings", 500);

/** A query's vector in an index's space. @throws AppError on failure or timeout; the signal's reason */
export async function embedQuery(
  orgId: string,
  space: SpaceRow,
  text: string,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const embedder = embedderOf(space);
  // Faster than sending it to a worker.
  if (embedder.kind === "lexical") return embedLexically(text);
  const key = `${space.id}\n${space.key}\n${text}`;
  const cached = cache.get(orgId, key);
  if (cached) return cached;
  const [vector] = await embedTexts(systemActor(orgId), embedder, [text], { signal, timeMs: QUERY_TIME });
  if (!vector || (space.dimensions > 0 && vector.length !== space.dimensions)) {
    throw new AppError(
      "provider_unavailable",
      `${embedder.label} returned a vector of ${vector?.length ?? 0} dimensions, but the index has ${space.dimensions}. Rebuild the index.`,
    );
  }
  cache.set(orgId, key, vector);
  return vector;
}
