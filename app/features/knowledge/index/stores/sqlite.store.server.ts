import { transaction, vectorExtension } from "~/core/db.server";
import { createTable, deleteBits, hasTable, insertBits, listBits } from "./derived-tables.repo.server";
import { dropSliced } from "./drop-table.server";
import { signBits } from "./sign-bits";
import { createVectors, SCOPES, vectorsTable } from "./tables";
import type { FileStore } from "./vector-store";

export const sqliteStore: FileStore = {
  id: "sqlite",
  label: "the built-in SQLite index",
  where: "file",
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
  listNow({ id }, after, limit) {
    const table = vectorsTable(id);
    if (!hasTable(table)) return [];
    return listBits(table, after, limit).map((row) => ({ id: row.id, open: row.scope === SCOPES.open }));
  },
  drop: ({ id }) => dropSliced(vectorsTable(id), { _vector_chunks00: 20, _chunks: 20, _rowids: 1000 }),
};
