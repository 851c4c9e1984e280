import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { JobQuery } from "~/platform/jobs/jobs.schema";
import { listJobPage, retryJob } from "~/platform/jobs/jobs.service.server";
import { migrate } from "../../../../db/migrate";
import { FOLDERS, ORG_ID } from "../../../../tests/support/database";
import { startIngestion, whenIdle } from "../../../../tests/support/ingestion";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { getDocument, listDocuments } from "../documents.service.server";
import { readBatch } from "../ingestion/batches.service.server";
import { restoreDocument } from "../removal/document-removal.service.server";
import { retryDocument } from "./work.service.server";

/**
 * The database of a console that was killed when documents' jobs had a row in `ingest_jobs` as well: documents ready,
 * failed, canceled by a deletion, waiting and running, and a sitemap that failed.
 */
const FIXTURE = "tests/fixtures/documents-0049.sqlite.gz";
const KILLED_AT = 1_795_800_002_280;

const member = { kind: "user", userId: "usr_member", orgId: ORG_ID, role: "member" } as const;
const admin = { kind: "user", userId: "usr_admin", orgId: ORG_ID, role: "admin" } as const;
const rows = (sql: string) => rawDatabase().prepare(sql).raw().all();
const idOf = (name: string) =>
  rawDatabase().prepare("SELECT id FROM documents WHERE name = ?").pluck().get(name) as string;

let folder: string;
let upstream: MockServer;
let stop: (() => Promise<void>) | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(FOLDERS, "quarterdeck-one-job-"));
  const file = join(folder, "quarterdeck.sqlite");
  writeFileSync(file, gunzipSync(readFileSync(FIXTURE)));
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder, EGRESS_ALLOW: "127.0.0.1" });
  setClock(() => KILLED_AT + 1000);
  setDatabase(openConnection(file));
  await migrate(rawDatabase(), "db/migrations");
  upstream = await startMockServer((request, response) =>
    response.setHeader("content-type", "text/plain").end(`The page ${request.url}.`),
  );
  const move = "UPDATE documents SET source = replace(source, 'http://upstream.invalid', ?)";
  rawDatabase().prepare(move).run(upstream.origin);
});
afterEach(async () => {
  await stop?.();
  await upstream.close();
  setClock();
  closeDatabase();
  setEnv(undefined);
  rmSync(folder, { recursive: true, force: true });
});

it("continues with what waited and ran, and says of the others how they ended", async () => {
  const unfinished = rows("SELECT id FROM jobs WHERE state IN ('queued', 'running')");
  expect(unfinished).toHaveLength(5);
  const progress = (await listDocuments(member, { limit: 20 })).documents.flatMap((document) =>
    document.progress ? [[document.name, document.progress.state, document.progress.step]] : [],
  );
  expect(progress.sort()).toEqual([
    ["127.0.0.1/slow", "running", "fetching"],
    ["page", "queued", null],
    ["running.txt", "running", "reading"],
    ["waiting.txt", "queued", null],
    ["waiting.txt", "queued", null],
  ]);
  expect(getDocument(member, idOf("page")).lastRefresh).toMatchObject({ outcome: "unchanged", error: null });
  stop = startIngestion();
  await whenIdle();
  expect(rows("SELECT name, status, error FROM documents WHERE deleted_at IS NULL ORDER BY name")).toEqual([
    ["127.0.0.1/slow", "ready", null],
    ["broken", "failed", "The provider took too long."],
    ["damaged", "failed", "The file is damaged."],
    ["page", "ready", null],
    ["ready", "ready", null],
    ["running.txt", "ready", null],
    ["update failed", "ready", "The file is damaged."],
    ["waiting.txt", "ready", null],
    ["waiting.txt", "ready", null],
  ]);
  expect(rows("SELECT state, count(*) FROM document_versions GROUP BY state")).toEqual([
    ["failed", 4],
    ["served", 7],
  ]);
});

it("retries what failed, each by its reason, and keeps batches together", async () => {
  const retryable = (await listDocuments(member, { limit: 20 })).documents.filter(({ canRetry }) => canRetry);
  expect(retryable.map(({ name }) => name)).toEqual(["broken"]);
  const { jobs } = listJobPage(admin, JobQuery.parse({ state: "failed", kind: "documents.ingest" }));
  expect(jobs).toHaveLength(3);
  stop = startIngestion();
  await whenIdle();
  retryDocument(member, idOf("broken"));
  const damaged = jobs.find(({ subject }) => subject === `document:${idOf("damaged")}`);
  retryJob(admin, damaged?.id ?? "");
  restoreDocument(member, idOf("deleted"));
  await whenIdle();
  for (const name of ["broken", "damaged", "deleted"])
    expect(getDocument(member, idOf(name)).status).toBe("ready");
  const [[batchId]] = rows("SELECT batch_id FROM documents WHERE name = 'running.txt'") as [[string]];
  expect((await readBatch(member, batchId)).counts).toEqual({ total: 3, processing: 0, ready: 3, failed: 0 });
});
