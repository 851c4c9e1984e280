import { stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { readTrailProblem } from "~/console/audit/trail.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { rawDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { readInThread } from "~/core/read-pool.server";
import { readReplica } from "~/core/replica.server";
import { readUnlessDamaged } from "~/core/storage-faults.server";
import { readFileCopies } from "~/platform/files/files.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { makeCache } from "~/platform/settings/caches.service.server";
import { describeMissingFiles, installedVersion } from "~/team/backups/maintenance.service.server";
import { formatDuration } from "~/ui/format";
import { vectorServerState } from "~/work/index/rag-status.service.server";
import { type GenerationRow, type ObjectSize, readStorageRows, storageQueries } from "./storage.repo.server";

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0;

/** In bytes. A compaction reclaims `freeBytes`. */
export async function readStorageSizes() {
  const raw = rawDatabase();
  const pragma = (name: string) => Number(raw.pragma(name, { simple: true }));
  const pageSize = pragma("page_size");
  const { bavail, blocks, bsize } = await statfs(dataDir());
  return {
    databaseBytes: pragma("page_count") * pageSize,
    freeBytes: pragma("freelist_count") * pageSize,
    logBytes: await sizeOf(`${raw.name}-wal`),
    diskBytes: blocks * bsize,
    diskFreeBytes: bavail * bsize,
  };
}

/** One line about Qdrant; undefined if it isn't used. */
function describeVectorServer(orgId: string): string | undefined {
  const server = vectorServerState(orgId);
  if (!server) return undefined;
  const { state, error, isLost, recall, lagMs } = server;
  return [
    state === "ok" ? "Answers" : state === "paused" ? "Doesn't answer and isn't asked" : (error ?? "Fails"),
    isLost ? "has lost its vectors, which are being added again" : undefined,
    lagMs > 0 ? `${formatDuration(lagMs)} behind` : undefined,
    state === "ok" && recall !== null ? `finds ${Math.round(recall * 100)} % of the nearest` : undefined,
  ]
    .filter(Boolean)
    .join(", ");
}

export async function readSystem(actor: Actor) {
  authorise(actor, "settings.manage");
  return {
    ...(await readStorageSizes()),
    version: installedVersion() ?? "",
    node: process.versions.node,
    sqlite: String(rawDatabase().prepare("select sqlite_version()").pluck().get()),
    dataDir: dataDir(),
    workspaceBytes: await sizeOf(join(dataDir(), "workspace.db")),
    missingFiles: describeMissingFiles(),
    memoryBytes: process.memoryUsage().rss,
    replica: (await readReplica()) ?? null,
    copies: readUnlessDamaged(readFileCopies, undefined) ?? null,
    // An intact trail has none.
    auditProblem: readTrailProblem(actor)?.message,
    vectorServer: describeVectorServer(actor.orgId),
  };
}

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

function sharesOf(sizes: readonly ObjectSize[]) {
  const bytes = new Map<string, number>();
  for (const { table, bytes: own } of sizes) {
    const label = SHARES.find(([, tables]) => tables.test(table))?.[0] ?? "Other";
    bytes.set(label, (bytes.get(label) ?? 0) + own);
  }
  const isOther = ({ label }: { label: string }) => Number(label === "Other");
  return [...bytes]
    .map(([label, sum]) => ({ label, bytes: sum }))
    .sort((a, b) => isOther(a) - isOther(b) || b.bytes - a.bytes);
}

/** A generation of the search index. `bytes`: its tables in this database, without Qdrant's vectors. */
function toFigures({ chunkSetId, ...row }: GenerationRow, sizes: readonly ObjectSize[]) {
  const own = new RegExp(`^(terms_${chunkSetId}|vectors_${row.id})(?!\\d)`);
  const bytes = sizes.reduce((sum, { table, bytes: size }) => (own.test(table) ? sum + size : sum), 0);
  return { ...row, bytes };
}

async function measure({ orgId }: Actor) {
  const rows = await readInThread("long", storageQueries(orgId));
  const { sizes, generations, documents, passages } = readStorageRows(rows);
  return {
    shares: sharesOf(sizes),
    indexes: generations.map((row) => toFigures(row, sizes)),
    documents,
    passages,
    measuredAt: new Date(now()).toISOString(),
  };
}

export type StorageFigures = Awaited<ReturnType<typeof measure>>;

const cache = makeCache<StorageFigures>("storage", 10);

/** Measured on a thread and cached. @throws AppError `forbidden`; `unavailable` after two minutes */
export async function measureStorage(actor: Actor): Promise<StorageFigures> {
  authorise(actor, "settings.manage");
  const cached = cache.get(actor.orgId, "database");
  if (cached) return cached;
  const figures = await measure(actor);
  cache.set(actor.orgId, "database", figures);
  return figures;
}
