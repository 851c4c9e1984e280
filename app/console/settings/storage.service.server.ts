import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { readInThread } from "~/core/read-pool.server";
import { authorise } from "~/platform/rights/authorization.server";
import { makeCache } from "~/platform/settings/caches.service.server";
import { type GenerationRow, type ObjectSize, readStorageRows, storageQueries } from "./storage.repo.server";
import type { IndexFigures, StorageFigures, StorageShare } from "./storage.shared";

/** Kinds of data by table name; the last takes the rest. */
const SHARES: readonly (readonly [label: string, tables: RegExp])[] = [
  ["Documents", /^(documents|document_|ingest_)/],
  ["Passages", /^(chunks|chunk_sets)$/],
  ["Vectors", /^(embeddings|embedding_spaces|index_entries)$/],
  ["Search indexes of documents", /^(terms|vectors)_\d|^search_indexes$/],
  ["Search across the console", /^find_/],
  ["Chats and personas", /^(conversation|message|answer_|attachments|imported_|comparisons|prompts|persona)/],
  ["Workflows", /^workflow/],
  ["Audit log", /^audit_/],
  ["Usage and budgets", /^(usage_|budget)/],
  ["Jobs and notifications", /^(jobs|schedule|notification|push_)/],
  ["Other", /./],
];

function sharesOf(sizes: readonly ObjectSize[]): StorageShare[] {
  const bytes = new Map<string, number>();
  for (const { table, bytes: own } of sizes) {
    const label = SHARES.find(([, tables]) => tables.test(table))?.[0] ?? "Other";
    bytes.set(label, (bytes.get(label) ?? 0) + own);
  }
  const isOther = ({ label }: StorageShare) => Number(label === "Other");
  return [...bytes]
    .map(([label, sum]) => ({ label, bytes: sum }))
    .sort((a, b) => isOther(a) - isOther(b) || b.bytes - a.bytes);
}

function toFigures(row: GenerationRow, sizes: readonly ObjectSize[]): IndexFigures {
  const own = new RegExp(`^(terms_${row.chunkSetId}|vectors_${row.id})(?!\\d)`);
  const bytes = sizes.reduce((sum, { table, bytes: size }) => (own.test(table) ? sum + size : sum), 0);
  const { id, state, model, documents, passages } = row;
  return { id: String(id), state, model, documents, passages, bytes };
}

const cache = makeCache<StorageFigures>("storage", 10);

/** Measured on a thread and cached. @throws AppError `forbidden`; `unavailable` after two minutes */
export async function measureStorage(actor: Actor): Promise<StorageFigures> {
  authorise(actor, "settings.manage");
  const cached = cache.get(actor.orgId, "database");
  if (cached) return cached;
  const rows = await readInThread("long", storageQueries(actor.orgId));
  const { sizes, generations, documents, passages } = readStorageRows(rows);
  const figures = {
    shares: sharesOf(sizes),
    indexes: generations.map((row) => toFigures(row, sizes)),
    documents,
    passages,
    measuredAt: new Date(now()).toISOString(),
  };
  cache.set(actor.orgId, "database", figures);
  return figures;
}
