import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { askLiteLlm } from "./ask-litellm.server";
import { askRouter } from "./ask-router.server";
import { withDeadline } from "./deadline.server";
import { embedInThread } from "./embed-pool.server";
import type { Embedder } from "./embedder";

/** Maximum texts per call; large batches also block a local embedder. */
const MAX_TEXTS = 64;
const MAX_CHARACTERS = 100_000;
/** About 8,000 tokens, the usual model limit. */
const MAX_TEXT_LENGTH = 24_000;
/** A shorter text isn't refused because of its length. */
const MIN_TEXT_LENGTH = 400;
/** Time limit per call (ms). */
const CALL_TIME = 180_000;

export function* inBatches<T>(items: readonly T[], sizeOf: (item: T) => number): Generator<T[]> {
  let batch: T[] = [];
  let size = 0;
  for (const item of items) {
    const more = sizeOf(item);
    if (batch.length > 0 && (batch.length >= MAX_TEXTS || size + more > MAX_CHARACTERS)) {
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
const filled = (text: string) => (text.trim() === "" ? "-" : text);

async function ask(actor: Actor, embedder: Embedder, texts: string[], signal: AbortSignal) {
  const { route } = embedder;
  const { values, dimensions } =
    route.via === "builtin"
      ? await embedInThread(texts, signal)
      : route.via === "router"
        ? await askRouter(actor, { ...embedder, route }, texts, signal)
        : await askLiteLlm(actor, { ...embedder, route }, texts, signal);
  return texts.map((_, index) => values.slice(index * dimensions, (index + 1) * dimensions));
}

/**
 * Halves a refused batch and shortens a single text, since models' limits differ and are rarely documented.
 */
async function askSmaller(
  actor: Actor,
  embedder: Embedder,
  texts: string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  try {
    return await ask(actor, embedder, texts, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "provider_rejected" || signal.aborted) throw error;
    const half = Math.ceil(texts.length / 2);
    if (texts.length > 1) {
      const first = await askSmaller(actor, embedder, texts.slice(0, half), signal);
      return [...first, ...(await askSmaller(actor, embedder, texts.slice(half), signal))];
    }
    const [text = ""] = texts;
    if (text.length <= MIN_TEXT_LENGTH) throw error;
    return askSmaller(actor, embedder, [cut(text, Math.ceil(text.length / 2))], signal);
  }
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
  const ready = texts.map((text) => filled(cut(text, MAX_TEXT_LENGTH)));
  const late = new AppError(
    "provider_timeout",
    `The embedding model took longer than ${timeMs / 1000} seconds. Try again.`,
  );
  const vectors = await withDeadline({ ms: timeMs, late, signal }, (ending) =>
    askSmaller(actor, embedder, ready, ending),
  );
  const [first] = vectors;
  if (vectors.some(({ length }) => length !== first?.length)) {
    throw new AppError("provider_unavailable", `${embedder.label} returned vectors of different lengths.`);
  }
  return vectors;
}
