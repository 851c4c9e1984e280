import { createHash } from "node:crypto";
import { dataDir, env } from "~/core/env.server";
import { callQdrant, hasStatus, qdrantProblem, unlessMissing } from "./qdrant-client.server";
import type { ServerStore, StoredIndex } from "./vector-store";

/** Numbers per request: serializing more blocks the event loop. */
const MAX_NUMBERS = 30_000;
/** Points of a slice that is compared with the database. */
const SLICE = 1000;
const IS_OPEN = { key: "open", match: { value: true } };

const ofDocument = (documentId: string) => ({ key: "documentId", match: { value: documentId } });
const ofDocuments = (ids: readonly string[]) => ({ key: "documentId", match: { any: [...ids] } });

const QUANTIZATION = {
  scalar: { scalar: { type: "int8" as const, always_ram: true } },
  binary: { binary: { always_ram: true } },
};

/** A new collection: what the operator leaves out is Qdrant's own. */
function collectionOptions({ dimensions }: StoredIndex) {
  const { on_disk, quantization, ...cluster } = env().QDRANT_COLLECTION ?? {};
  return {
    ...cluster,
    vectors: { size: dimensions, distance: "Cosine" as const, ...(on_disk ? { on_disk } : {}) },
    ...(on_disk ? { hnsw_config: { on_disk } } : {}),
    ...(quantization ? { quantization_config: QUANTIZATION[quantization] } : {}),
  };
}

/** The length of its vectors; undefined if it has named ones, which are never ours. */
function sizeOf(vectors: unknown): number | undefined {
  const isOurs = typeof vectors === "object" && vectors !== null && "size" in vectors;
  return isOurs && typeof vectors.size === "number" ? vectors.size : undefined;
}

export const qdrantStore: ServerStore = {
  id: "qdrant",
  location: "server",
  problem: qdrantProblem,
  batchOf: ({ dimensions }) => Math.max(1, Math.min(256, Math.floor(MAX_NUMBERS / Math.max(1, dimensions)))),
  markOf: ({ createdAt }, { documentId, hash }) =>
    createHash("sha256").update(`${createdAt}\n${documentId}\n${hash}`).digest("base64url").slice(0, 16),
  async create(index) {
    const collection_name = collectionOf(index);
    await callQdrant(index.orgId, async (api, init) => {
      const create = () => api.createCollection({ collection_name, ...collectionOptions(index) }, init);
      try {
        await create();
      } catch (error) {
        if (!hasStatus(error, 409)) throw error;
        const found = await unlessMissing(api.getCollection({ collection_name }, init));
        // Of an index that a restored database forgot, for another model.
        if (sizeOf(found?.data.result?.config.params.vectors) !== index.dimensions) {
          await unlessMissing(api.deleteCollection({ collection_name }, init));
          await create();
        }
      }
      // Payload indexes for filters; a crash may have left some out.
      for (const [field_name, field_schema] of [
        ["documentId", "keyword"],
        ["open", "bool"],
      ] as const) {
        await api.createFieldIndex({ collection_name, wait: true, field_name, field_schema }, init);
      }
    });
  },
  async put(index, points, signal) {
    const collection_name = collectionOf(index);
    const rows = points.map(({ id, vector, documentId, hash, open }) => ({
      id,
      vector: Array.from(vector),
      payload: { documentId, open, mark: qdrantStore.markOf(index, { documentId, hash }) },
    }));
    return callQdrant(
      index.orgId,
      async (api, init) => {
        const call = api.upsertPoints({ collection_name, wait: true, points: rows }, init);
        return (await unlessMissing(call)) !== undefined;
      },
      { signal },
    );
  },
  async remove(index, chunkIds) {
    if (chunkIds.length === 0) return true;
    const collection_name = collectionOf(index);
    return callQdrant(index.orgId, async (api, init) => {
      const call = api.deletePoints({ collection_name, wait: true, points: [...chunkIds] }, init);
      return (await unlessMissing(call)) !== undefined;
    });
  },
  async setOpen(index, documentId, open) {
    const collection_name = collectionOf(index);
    const filter = { must: [ofDocument(documentId)] };
    return callQdrant(index.orgId, async (api, init) => {
      const call = api.setPayload({ collection_name, wait: true, payload: { open }, filter }, init);
      return (await unlessMissing(call)) !== undefined;
    });
  },
  async list(index, from, signal) {
    const collection_name = collectionOf(index);
    const wanted = { with_payload: ["mark", "open"], with_vector: false };
    return callQdrant(
      index.orgId,
      async (api, init) => {
        const call = api.scrollPoints({ collection_name, offset: from, limit: SLICE, ...wanted }, init);
        const result = (await unlessMissing(call))?.data.result;
        if (!result) return undefined;
        const points = result.points.map(({ id, payload }) => ({
          id: Number(id),
          mark: String(payload?.mark),
          open: payload?.open === true,
        }));
        const next = result.next_page_offset;
        return { points, next: typeof next === "number" ? next : undefined };
      },
      { signal },
    );
  },
  async isSettled(index, signal) {
    const collection_name = collectionOf(index);
    return callQdrant(
      index.orgId,
      async (api, init) => {
        const found = await unlessMissing(api.getCollection({ collection_name }, init));
        const state = found?.data.result?.status;
        // After its restart Qdrant orders nothing until something is written; setting no option counts as that.
        if (state === "grey") await api.updateCollection({ collection_name, optimizers_config: {} }, init);
        return state === "green";
      },
      { signal },
    );
  },
  async drop(index) {
    const collection_name = collectionOf(index);
    await callQdrant(index.orgId, async (api, init) => {
      await unlessMissing(api.deleteCollection({ collection_name }, init));
    });
  },
  async search(index, vector, k, { restrictedIds, documentIds, ef }, signal) {
    if (documentIds?.length === 0) return [];
    const collection_name = collectionOf(index);
    const must = [
      ...(restrictedIds
        ? [{ should: [IS_OPEN, ...(restrictedIds.length > 0 ? [ofDocuments(restrictedIds)] : [])] }]
        : []),
      ...(documentIds ? [ofDocuments(documentIds)] : []),
    ];
    const params = ef === null ? { exact: true } : { hnsw_ef: ef };
    return callQdrant(
      index.orgId,
      async (api, init) => {
        const query = { query: Array.from(vector), limit: k, filter: { must }, params, with_payload: false };
        const response = await unlessMissing(api.queryPoints({ collection_name, ...query }, init));
        return response?.data.result?.points.map(({ id, score }) => ({
          chunkId: Number(id),
          similarity: score,
        }));
      },
      { kind: "search", signal },
    );
  },
};

/** A collection name unique to this installation: several may share a Qdrant. */
export function collectionOf({ id, orgId }: Pick<StoredIndex, "id" | "orgId">): string {
  const installation = createHash("sha256")
    .update([env().PUBLIC_URL, dataDir(), orgId].join("\n"))
    .digest("hex")
    .slice(0, 12);
  return `quarterdeck-${installation}-${id}`;
}
