import { type Db, db, runInBatches } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { embeddedText } from "../chunking/chunk";
import { type ChunkKey, findChunkText } from "../chunks.repo.server";
import { embedTexts, inBatches } from "../embedding/embed-texts.server";
import { embedderOf } from "../embedding/space.server";
import {
  findSpaceById,
  hasEmbedding,
  hasSpace,
  insertEmbedding,
  type SpaceRow,
  setDimensions,
} from "../embeddings.repo.server";
import { toBlob } from "../stores/sign-bits";
import { systemActor } from "../system-actor.server";

interface EmbedOptions {
  signal?: AbortSignal | undefined;
  onDone?: ((count: number) => void) | undefined;
  onStored?: ((tx: Db, hash: string) => void) | undefined;
}

interface Missing {
  hash: string;
  text: string;
}

function findMissing(space: SpaceRow, keys: readonly ChunkKey[]): Missing[] {
  const missing = new Map<string, string>();
  for (const { id, hash } of keys) {
    if (missing.has(hash) || hasEmbedding(db(), space.id, hash)) continue;
    const chunk = findChunkText(db(), id);
    if (chunk) missing.set(hash, embeddedText(chunk.title, chunk));
  }
  return [...missing].map(([hash, text]) => ({ hash, text }));
}

async function storeVectors(
  space: SpaceRow,
  batch: readonly Missing[],
  vectors: readonly Float32Array[],
  { signal, onStored }: EmbedOptions,
): Promise<void> {
  const dimensions = vectors[0]?.length ?? 0;
  const expected = findSpaceById(db(), space.id)?.dimensions ?? 0;
  if (expected !== 0 && dimensions !== expected) {
    throw new AppError(
      "provider_unavailable",
      `${space.model} returned vectors of ${dimensions} dimensions instead of ${expected}: the model has changed. Rebuild the index.`,
    );
  }
  await runInBatches(
    batch.map(({ hash }, index) => ({ hash, vector: vectors[index] })),
    (tx, { hash, vector }) => {
      if (!vector || !hasSpace(tx, space)) return;
      setDimensions(tx, space.id, dimensions);
      insertEmbedding(tx, space.id, hash, toBlob(vector));
      onStored?.(tx, hash);
    },
    { signal, durable: false },
  );
}

/**
 * Embeds contents without a vector. Each batch is stored before the next request, so that paid results
 * aren't lost.
 * @throws AppError with a user-facing message when the embedder fails; the signal's reason
 */
export async function embedChunks(
  space: SpaceRow,
  keys: readonly ChunkKey[],
  options: EmbedOptions = {},
): Promise<void> {
  const { signal, onDone } = options;
  const missing = findMissing(space, keys);
  const actor = systemActor(space.orgId);
  for (const batch of inBatches(missing, ({ text }) => text.length)) {
    signal?.throwIfAborted();
    const embedder = embedderOf(space);
    const vectors = await embedTexts(
      actor,
      embedder,
      batch.map(({ text }) => text),
      { signal },
    );
    await storeVectors(space, batch, vectors, options);
    onDone?.(batch.length);
  }
}
