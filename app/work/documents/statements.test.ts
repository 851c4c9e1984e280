import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { now, setClock } from "~/core/clock.server";
import { rawDatabase } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { markAllForCheck, runBuilder } from "~/work/index/generations/builder.server";
import { openTestDatabase } from "../../../tests/support/database";
import { startIngestion, whenIdle } from "../../../tests/support/ingestion";
import { collectStatements, planOf } from "../../../tests/support/plans";
import { createCategory, deleteCategory } from "./categories/categories.service.server";
import { moveDocument, patchDocument, reorderDocuments } from "./document-changes.service.server";
import { ingestSteps } from "./ingestion/context.server";
import { addDocumentVersion } from "./ingestion/document-versions.service.server";
import { IngestInput } from "./ingestion/ingest.schema";
import { ingest } from "./ingestion/ingest.service.server";
import { queueDueRefreshes, queuePurges, sweepBrokenUploads } from "./ingestion/schedule.server";
import { UNDO_TIME } from "./jobs/document-jobs.server";
import { deleteDocument } from "./removal/document-removal.service.server";

/** Tables that grow with the number of documents. */
const LARGE = [
  "documents",
  "document_versions",
  "document_parts",
  "document_texts",
  "document_readers",
  "chunks",
  "embeddings",
  "index_entries",
  "retrieval_passages",
];

/** A full scan, or an index that barely narrows it. */
const READS_ALL = new RegExp(
  `^(SCAN (${LARGE.join("|")})\\b|SEARCH (${LARGE.join("|")}) USING INDEX .*\\((org_id|deleted_at)=\\?\\)$)`,
  "m",
);

/** Derived tables are accessed by rowid. */
const DERIVED = /\b(terms|vectors)_\d/;

describe("the statements", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let stop: () => Promise<void>;
  beforeEach(() => {
    test = openTestDatabase();
    updateUserSettings(test.actors.admin, { ragVectorMode: "sqlite" });
    markAllForCheck();
    stop = startIngestion(ingestSteps);
  });
  afterEach(async () => {
    await stop();
    setClock();
    test.close();
  });
  afterAll(closeWorkerPools);

  const build = () => runBuilder(new AbortController().signal);
  const pass = (ms: number) => {
    const later = now() + ms;
    setClock(() => later);
  };
  const text = (topic: string) =>
    Array.from({ length: 12 }, (_, n) => `# ${topic} ${n}\n\n${`${topic}${n} sails home. `.repeat(20)}`).join(
      "\n\n",
    );

  it("of documents and indexes scan no large table", async () => {
    const collected = collectStatements();
    const { document } = await ingest(
      test.actors.member,
      IngestInput.parse({ title: "One", text: text("ship") }),
    );
    await ingest(test.actors.member, IngestInput.parse({ title: "Two", text: text("tree") }));
    await whenIdle();
    await addDocumentVersion(test.actors.member, document.id, { text: text("boat"), format: "text" });
    await whenIdle();
    patchDocument(test.actors.member, document.id, { name: "Other", visibility: "named" });
    await whenIdle();
    const { id: categoryId } = createCategory(test.actors.member, "Boats");
    patchDocument(test.actors.member, document.id, { category: "Boats" });
    reorderDocuments(test.actors.member, { category: "Boats", order: [document.id] });
    moveDocument(test.actors.member, document.id, { direction: "up" });
    deleteCategory(test.actors.member, categoryId);
    updateUserSettings(test.actors.admin, { chunkTokens: 150, chunkOverlap: 0 });
    await build();
    pass(61_000);
    await build();
    deleteDocument(test.actors.member, document.id);
    pass(UNDO_TIME);
    queuePurges();
    queueDueRefreshes();
    sweepBrokenUploads();
    await whenIdle();
    const statements = collected().filter(
      (sql) => /^\s*(select|update|delete|insert|with)\b/i.test(sql) && !DERIVED.test(sql),
    );
    expect(statements.length).toBeGreaterThan(100);
    const scanning = statements.filter((sql) => READS_ALL.test(planOf(sql)));
    expect(scanning.map((sql) => `${sql}\n${planOf(sql)}`)).toEqual([]);
  }, 60_000);

  it("of foreign keys find referring rows by an index", () => {
    const raw = rawDatabase();
    const missing = LARGE.flatMap((table) => {
      const keys = raw.pragma(`foreign_key_list(${table})`) as { from: string; table: string }[];
      return keys
        .filter(({ from }) => !planOf(`SELECT 1 FROM ${table} WHERE "${from}" = ?`).startsWith("SEARCH"))
        .map(({ from, table: of }) => `${table}.${from}, when a row of ${of} is deleted`);
    });
    expect(missing).toEqual([]);
  });
});
