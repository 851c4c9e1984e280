import { transaction, vectorExtension } from "~/core/db.server";
import {
  countBits,
  createTable,
  deleteBits,
  dropTableInBatches,
  hasTable,
  insertBits,
} from "./derived-tables.repo.server";
import { createVectors, SCOPES, signBits, vectorsTable } from "./tables";
import type { FileStore } from "./vector-store";

export const sqliteStore: FileStore = {
  id: "sqlite",
  location: "file",
  problem() {
    const extension = vectorExtension();
    return extension.ok
      ? undefined
      : `SQLite's vector extension can't be loaded (${extension.reason}). Documents are searched by keywords only.`;
  },
  async create({ id, dimensions }) {
    if (!hasTable(vectorsTable(id))) transaction(() => createTable(createVectors(id, dimensions)));
  },
  putNow({ id }, { id: chunkId, vector, open }) {
    // vec0 tables have no upsert.
    deleteBits(vectorsTable(id), chunkId);
    insertBits(vectorsTable(id), chunkId, open ? SCOPES.open : SCOPES.named, signBits(vector));
  },
  removeNow({ id }, chunkId) {
    if (hasTable(vectorsTable(id))) deleteBits(vectorsTable(id), chunkId);
  },
  async count({ id }) {
    const table = vectorsTable(id);
    const counts = hasTable(table) ? countBits(table) : new Map<string, number>();
    const open = counts.get(SCOPES.open) ?? 0;
    return { all: open + (counts.get(SCOPES.named) ?? 0), open };
  },
  drop: ({ id }) =>
    dropTableInBatches(vectorsTable(id), { _vector_chunks00: 20, _chunks: 20, _rowids: 1000 }),
};
