import { callQdrant, collectionOf, isConflict, isMissing, qdrantProblem } from "./qdrant-client.server";
import type { ServerStore, StoredIndex } from "./vector-store";

/** Numbers per request: serializing more blocks the event loop. */
const MAX_NUMBERS = 30_000;
const IS_OPEN = { key: "open", match: { value: true } };

const prepared = new Set<string>();

const ofDocument = (documentId: string) => ({ key: "documentId", match: { value: documentId } });
const ofDocuments = (ids: readonly string[]) => ({ key: "documentId", match: { any: [...ids] } });

async function count(index: StoredIndex, filter?: { must: (typeof IS_OPEN)[] }): Promise<number> {
  const collection_name = collectionOf(index);
  return callQdrant(index.orgId, async (api, init) => {
    try {
      const response = await api.countPoints(
        { collection_name, exact: true, ...(filter ? { filter } : {}) },
        init,
      );
      return response.data.result?.count ?? 0;
    } catch (error) {
      if (isMissing(error)) return 0;
      throw error;
    }
  });
}

export const qdrantStore: ServerStore = {
  id: "qdrant",
  label: "Qdrant",
  location: "server",
  problem: qdrantProblem,
  batchOf: ({ dimensions }) => Math.max(1, Math.min(256, Math.floor(MAX_NUMBERS / Math.max(1, dimensions)))),
  async create(index) {
    const collection_name = collectionOf(index);
    await callQdrant(index.orgId, async (api, init) => {
      if (prepared.has(collection_name)) {
        const { data } = await api.collectionExists({ collection_name }, init);
        if (data.result?.exists) return;
      }
      const vectors = { size: index.dimensions, distance: "Cosine" as const };
      try {
        await api.createCollection({ collection_name, vectors }, init);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
      // Payload indexes for filters; a crash may have left some out.
      for (const [field_name, field_schema] of [
        ["documentId", "keyword"],
        ["open", "bool"],
      ] as const) {
        await api.createFieldIndex({ collection_name, wait: true, field_name, field_schema }, init);
      }
      prepared.add(collection_name);
    });
  },
  async put(index, points, signal) {
    const collection_name = collectionOf(index);
    const rows = points.map(({ id, vector, documentId, open }) => ({
      id,
      vector: Array.from(vector),
      payload: { documentId, open },
    }));
    await callQdrant(
      index.orgId,
      (api, init) => api.upsertPoints({ collection_name, wait: true, points: rows }, init),
      { signal },
    );
  },
  async remove(index, chunkIds) {
    if (chunkIds.length === 0) return;
    const collection_name = collectionOf(index);
    await callQdrant(index.orgId, async (api, init) => {
      try {
        await api.deletePoints({ collection_name, wait: true, points: [...chunkIds] }, init);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    });
  },
  async setOpen(index, documentId, open) {
    const collection_name = collectionOf(index);
    const filter = { must: [ofDocument(documentId)] };
    await callQdrant(index.orgId, (api, init) =>
      api.setPayload({ collection_name, wait: true, payload: { open }, filter }, init),
    );
  },
  count: async (index) => ({ all: await count(index), open: await count(index, { must: [IS_OPEN] }) }),
  async drop(index) {
    const collection_name = collectionOf(index);
    await callQdrant(index.orgId, async (api, init) => {
      try {
        await api.deleteCollection({ collection_name }, init);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    });
  },
  async search(index, vector, k, { restrictedIds, documentIds }, signal) {
    if (documentIds?.length === 0) return [];
    const collection_name = collectionOf(index);
    const must = [
      ...(restrictedIds
        ? [{ should: [IS_OPEN, ...(restrictedIds.length > 0 ? [ofDocuments(restrictedIds)] : [])] }]
        : []),
      ...(documentIds ? [ofDocuments(documentIds)] : []),
    ];
    const filter = { must };
    return callQdrant(
      index.orgId,
      async (api, init) => {
        const query = { query: Array.from(vector), limit: k, filter, with_payload: false };
        const { data } = await api.queryPoints({ collection_name, ...query }, init);
        return (data.result?.points ?? []).map(({ id, score }) => ({
          chunkId: Number(id),
          similarity: score,
        }));
      },
      { kind: "search", signal },
    );
  },
};
