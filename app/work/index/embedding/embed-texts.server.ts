import { withDeadline } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { makeCache } from "~/platform/settings/caches.service.server";
import type { SpaceRow } from "../chunks.repo.server";
import { systemActor } from "../system-actor.server";
import { embedderOf } from "./choose-embedder.server";
import { embedInThread } from "./embed-pool.server";
import type { Embedder } from "./embedder";
import { embedLexically } from "./lexical-embedder";
import { requestFromLiteLlm } from "./litellm-embeddings.server";
import { measureLimit } from "./model-limits";
import { requestFromRouter } from "./router-embeddings.server";

/** Maximum texts per call; large batches also block a local embedder. */
const MAX_TEXTS = 64;
const MAX_CHARACTERS = 100_000;
/** About 8,000 tokens, the usual model limit. */
const MAX_TEXT_LENGTH = 24_000;
/** Texts up to this length aren't shortened: a refusal has another reason. */
const MIN_TEXT_LENGTH = 400;
/** Time limit per call (ms). */
const CALL_TIME = 180_000;

/** A call beyond the first is slow, one below the second quick (ms). Several wait for each other on a small machine. */
const [SLOW_CALL, QUICK_CALL] = [30_000, 10_000];
/** Texts per call of models that are slow, by their space. */
const smaller = new Map<number, number>();

export const callSize = (space: number): number => smaller.get(space) ?? MAX_TEXTS;

/** Halves the next calls after a slow one, so that a model on a slow processor answers in time, and doubles them after a quick one. */
export function learnCallSize(space: number, texts: number, ms: number): void {
  const size = callSize(space);
  if (ms > SLOW_CALL) smaller.set(space, Math.min(size, Math.max(1, Math.floor(texts / 2))));
  else if (ms < QUICK_CALL && texts >= size) smaller.set(space, Math.min(MAX_TEXTS, size * 2));
}

/** @param most items of the next batch */
export function* inBatches<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  most: () => number,
): Generator<T[]> {
  let batch: T[] = [];
  let size = 0;
  for (const item of items) {
    const more = sizeOf(item);
    if (batch.length > 0 && (batch.length >= most() || size + more > MAX_CHARACTERS)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(item);
    size += more;
  }
  if (batch.length > 0) yield batch;
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const low = text.charCodeAt(length);
  return text.slice(0, low >= 0xdc00 && low <= 0xdfff ? length - 1 : length);
}

/** Most providers refuse empty input. */
const nonEmpty = (text: string) => (text.trim() === "" ? "-" : text);

async function requestVectors(actor: Actor, embedder: Embedder, texts: string[], signal: AbortSignal) {
  const { route } = embedder;
  const { values, dimensions } =
    route.via === "builtin"
      ? await embedInThread(texts, signal)
      : route.via === "router"
        ? await requestFromRouter(actor, { ...embedder, route }, texts, signal)
        : await requestFromLiteLlm(actor, { ...embedder, route }, texts, signal);
  return texts.map((_, index) => values.slice(index * dimensions, (index + 1) * dimensions));
}

/**
 * Halves a refused batch and shortens a single text, since models' limits differ and are rarely documented.
 */
async function requestInParts(
  actor: Actor,
  embedder: Embedder,
  texts: string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  try {
    return await requestVectors(actor, embedder, texts, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "provider_rejected" || signal.aborted) throw error;
    const half = Math.ceil(texts.length / 2);
    if (texts.length > 1) {
      const first = await requestInParts(actor, embedder, texts.slice(0, half), signal);
      return [...first, ...(await requestInParts(actor, embedder, texts.slice(half), signal))];
    }
    const [text = ""] = texts;
    if (text.length <= MIN_TEXT_LENGTH) throw error;
    return requestInParts(actor, embedder, [cut(text, Math.ceil(text.length / 2))], signal);
  }
}

/**
 * How much of a text a model reads, in tokens, as far as it matters: see `measureLimit`.
 * @throws AppError with a user-facing message; the signal's reason
 */
export function findLimit(actor: Actor, embedder: Embedder, signal?: AbortSignal): Promise<number | null> {
  const timeoutError = () =>
    new AppError("provider_timeout", `${embedder.label} took too long to answer a test. Try again.`);
  return withDeadline({ ms: CALL_TIME, timeoutError, signal }, (ending) =>
    measureLimit((texts) => requestVectors(actor, embedder, texts, ending)),
  );
}

/**
 * Normalized vectors of texts, in as few calls as possible.
 * @param options.timeMs total time limit (ms)
 * @throws AppError with a user-facing message; the signal's reason
 */
export async function embedTexts(
  actor: Actor,
  embedder: Embedder,
  texts: readonly string[],
  { signal, timeMs = CALL_TIME }: { signal?: AbortSignal | undefined; timeMs?: number } = {},
): Promise<Float32Array[]> {
  const ready = texts.map((text) => nonEmpty(cut(text, MAX_TEXT_LENGTH)));
  const timeoutError = () =>
    new AppError(
      "provider_timeout",
      `The embedding model took longer than ${timeMs / 1000} seconds. Try again.`,
    );
  const vectors = await withDeadline({ ms: timeMs, timeoutError, signal }, (ending) =>
    requestInParts(actor, embedder, ready, ending),
  );
  const [first] = vectors;
  if (vectors.some(({ length }) => length !== first?.length)) {
    throw new AppError(
      "provider_unavailable",
      `${embedder.label} returned vectors of different lengths. Choose another embedding model.`,
    );
  }
  return vectors;
}

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
