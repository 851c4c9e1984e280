import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Actor } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { AppError } from "~/core/errors";
import { listAudit } from "~/platform/audit/audit.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { wakeDispatcher } from "~/platform/jobs/job-kind.service.server";
import { findJob, type JobRow } from "~/platform/jobs/jobs.repo.server";
import { cancelJob as cancelQueuedJob } from "~/platform/jobs/jobs.service.server";
import { changeRole, resumeMember, suspendMember } from "~/team/members/member.service.server";
import { removeVersionChunks } from "~/work/index/generations/remove-chunks.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { addDocument, addVersion } from "../../../../tests/support/documents";
import { startIngestion } from "../../../../tests/support/ingestion";
import { removeMember } from "../../../../tests/support/members";
import { findDocumentRow, updateDocumentRow } from "../document-rows.repo.server";
import {
  addJob,
  cancelJob,
  findIngestion,
  ingestJob,
  purgeJob,
  reindexJob,
  UNDO_TIME,
} from "../jobs/document-jobs.server";
import { receiveBytes, trackUpload } from "../versions/version-content.server";
import { findVersion } from "../versions/versions.repo.server";
import type { IngestSteps } from "./context.server";
import { toJobError } from "./context.server";
import { queueDueRefreshes, queuePurges, sweepBrokenUploads } from "./schedule.server";

const column = (sql: string) => rawDatabase().prepare(sql).pluck().all();
const jobOf = (id: string): JobRow => {
  const job = findJob(db(), id);
  if (!job) throw new Error("Job not found. It may have been removed.");
  return job;
};

let test: ReturnType<typeof openTestDatabase>;
let stop: (() => Promise<void>) | undefined;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
  setClock();
  test.close();
});

const queued = (actor: Actor, documentId: string, kind = ingestJob) =>
  transaction((tx) => addJob(tx, actor, kind, { documentId }));
const purges = () => column("SELECT state FROM jobs WHERE kind = 'documents.purge'");

describe("a job on a document", () => {
  const steps = {
    readVersion: vi.fn<IngestSteps["readVersion"]>(),
    indexVersion: vi.fn<IngestSteps["indexVersion"]>(),
    pageRecognizer: vi.fn<IngestSteps["pageRecognizer"]>(() => undefined),
    removeVersionChunks: vi.fn<IngestSteps["removeVersionChunks"]>(),
    moveScope: vi.fn<IngestSteps["moveScope"]>(),
    renewTerms: vi.fn<IngestSteps["renewTerms"]>(),
  };
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  /** A document with received bytes. */
  const received = (name: string) => {
    const document = addDocument(name, { status: "processing", type: "file" });
    const versionId = addVersion(document, { state: "received" });
    const id = transaction((tx) =>
      addJob(tx, test.actors.member, ingestJob, { documentId: document, versionId }),
    );
    return { document, id };
  };
  beforeEach(() => {
    for (const step of Object.values(steps)) step.mockReset();
  });

  it("applies a new name and new readers during ingestion", async () => {
    steps.readVersion.mockImplementation((_, signal) => untilAborted(signal));
    for (const name of ["long 1", "long 2", "long 3"]) received(name);
    stop = startIngestion(steps);
    await expect.poll(() => steps.readVersion.mock.calls.length).toBe(2);
    const other = addDocument("other");
    transaction((tx) =>
      addJob(tx, test.actors.member, reindexJob, { documentId: other, renamed: true, moved: true }),
    );
    await expect.poll(() => steps.moveScope.mock.calls.length).toBe(1);
    expect(steps.renewTerms).toHaveBeenCalledTimes(1);
    expect(steps.readVersion).toHaveBeenCalledTimes(2);
  });

  it("is attempted three times after transient errors, then reports its error", async () => {
    let at = 1_000_000_000_000;
    setClock(() => at);
    steps.readVersion.mockResolvedValue({
      title: "",
      facts: { format: "Text" },
      textHash: "h",
      textLength: 1,
      pieces: [],
    });
    steps.indexVersion.mockImplementation(async ({ onProgress }) => {
      onProgress("embedding", 0, 1);
      throw new AppError("provider_unavailable", "example.com returned HTTP 503.");
    });
    const { document, id } = received("one");
    stop = startIngestion(steps);
    for (const [attempt, pause] of [
      [1, 2000],
      [2, 15_000],
    ] as const) {
      await expect
        .poll(() => jobOf(id))
        .toMatchObject({ state: "scheduled", attempts: attempt, runAt: at + pause });
      at += pause;
      wakeDispatcher();
    }
    await expect.poll(() => jobOf(id).state).toBe("failed");
    expect(findDocumentRow(db(), document)).toMatchObject({
      status: "failed",
      error: "example.com returned HTTP 503.",
    });
  });

  it.each([
    ["a damaged file", "reading", new AppError("invalid", "The file is damaged."), { permanent: true }],
    ["a defect", "reading", new Error("defect"), { code: "internal", permanent: true }],
    ["a read timeout", "reading", new AppError("unavailable", "It took too long."), { permanent: true }],
    [
      "an unavailable embedder, without which keywords are served next time",
      "embedding",
      new AppError("provider_unavailable", "Its name is unknown.", { permanent: true, retryAfter: 3600 }),
      { permanent: false, retryAfter: undefined },
    ],
    [
      "a server's Retry-After",
      "fetching",
      new AppError("provider_quota", "Slow down.", { retryAfter: 60 }),
      { permanent: false, retryAfter: 60 },
    ],
  ] as const)("reports to the queue whether a retry can help: %s", (_, step, error, expected) => {
    expect(toJobError(error, step)).toMatchObject(expected);
  });

  it("is requeued at shutdown without counting an attempt", async () => {
    steps.readVersion.mockImplementation((_, signal) => untilAborted(signal));
    const { id } = received("one");
    stop = startIngestion(steps);
    await expect.poll(() => jobOf(id)).toMatchObject({ state: "running", progress: { step: "reading" } });
    await stop();
    expect(jobOf(id)).toMatchObject({ state: "queued", attempts: 0 });
  });

  it("ends when cancelled, and the active version stays", async () => {
    let ended: unknown;
    steps.readVersion.mockImplementation(async (_, signal) => {
      signal.addEventListener("abort", () => {
        ended = signal.reason;
      });
      return untilAborted(signal);
    });
    const { document, id } = received("one");
    const served = addVersion(document, { number: 2 });
    transaction((tx) => updateDocumentRow(tx, document, { versionId: served }));
    stop = startIngestion(steps);
    await expect.poll(() => jobOf(id).progress).toMatchObject({ step: "reading" });
    transaction((tx) => {
      const job = findIngestion(tx, document);
      if (job) cancelJob(tx, job);
    });
    abortJob(id);
    await expect.poll(() => ended).toMatchObject({ code: "cancelled" });
    expect(jobOf(id).state).toBe("cancelled");
    expect(findDocumentRow(db(), document)).toMatchObject({ status: "ready", error: null });
  });

  it("ends with its document, when an admin cancels it on the System screen", async () => {
    steps.readVersion.mockImplementation((_, signal) => untilAborted(signal));
    const { document, id } = received("one");
    stop = startIngestion(steps);
    await expect.poll(() => jobOf(id).progress).toMatchObject({ step: "reading" });
    cancelQueuedJob(test.actors.admin, id);
    expect(jobOf(id).state).toBe("cancelled");
    expect(findDocumentRow(db(), document)).toMatchObject({ status: "failed", error: "It was canceled." });
  });
});

describe("the schedule", () => {
  const page = (more = {}) =>
    addDocument("page", {
      type: "url",
      source: "https://example.com/",
      refreshEvery: HOUR,
      refreshAt: 10 * HOUR,
      ...more,
    });
  const at = (hours: number) => setClock(() => hours * HOUR);
  const end = () => rawDatabase().exec("UPDATE jobs SET state = 'succeeded'");

  it("queues each due refresh once, and missed ones once in total", async () => {
    const id = page();
    at(9.9);
    expect(await queueDueRefreshes()).toBe(0);
    at(10);
    expect(await queueDueRefreshes()).toBe(1);
    expect(await queueDueRefreshes()).toBe(0);
    expect(findDocumentRow(db(), id)?.refreshAt).toBe(11 * HOUR);
    end();
    at(15.5);
    expect(await queueDueRefreshes()).toBe(1);
    expect(findDocumentRow(db(), id)?.refreshAt).toBe(16 * HOUR);
    expect(column("SELECT input ->> '$.by.userId' FROM jobs")).toEqual(["system", "system"]);
  });

  it("skips documents in progress and deleted ones, and all while RAG is off", async () => {
    at(10);
    queued(test.actors.member, page());
    page({ deletedAt: 5 });
    expect(await queueDueRefreshes()).toBe(0);
    end();
    const settings = rawDatabase().prepare(
      "INSERT INTO org_settings (org_id, key, value, updated_at) VALUES ('org_test', 'rag', ?, 0)",
    );
    settings.run(JSON.stringify({ ragEnabled: false }));
    transaction(() => undefined);
    at(11);
    expect(await queueDueRefreshes()).toBe(0);
  });

  it("pauses while the creator is suspended", async () => {
    const id = page();
    suspendMember(test.actors.admin, "usr_member");
    at(10);
    expect(await queueDueRefreshes()).toBe(0);
    const { refreshEvery, refreshAt } = findDocumentRow(db(), id) ?? {};
    expect([typeof refreshEvery, typeof refreshAt]).toEqual(["number", "number"]);
    resumeMember(test.actors.admin, "usr_member");
    at(10 + 24 * 366);
    expect(await queueDueRefreshes()).toBe(1);
  });

  it.each([
    ["was removed", () => removeMember(test.actors.admin, "usr_member")],
    ["became a viewer", () => changeRole(test.actors.admin, "usr_member", "viewer")],
  ])("stops permanently if the creator %s, and reports it", async (_, change) => {
    const id = page();
    change();
    at(10);
    expect(await queueDueRefreshes()).toBe(0);
    expect(findDocumentRow(db(), id)).toMatchObject({ refreshEvery: null, refreshAt: null });
    const { entries } = listAudit(test.actors.admin, { limit: 5 });
    expect(entries.find(({ action }) => action === "document.schedule_stopped")).toMatchObject({
      userId: "system",
      resource: `document:${id}`,
    });
  });

  it("limits the work per run, and continues in the next", async () => {
    transaction(() => {
      for (let index = 0; index < 220; index++) page();
    });
    at(10);
    expect(await queueDueRefreshes()).toBe(200);
    expect(await queueDueRefreshes()).toBe(20);
  });

  it.each([-1, 1])("stops at invalid stored intervals, such as %d ms", async (refreshEvery) => {
    const ids = Array.from({ length: 25 }, () => page({ refreshEvery }));
    at(10);
    expect(await queueDueRefreshes()).toBe(25);
    for (const id of ids) expect(findDocumentRow(db(), id)?.refreshAt).toBe(11 * HOUR);
  });
});

describe("the purge", () => {
  const steps = {
    readVersion: vi.fn(),
    indexVersion: vi.fn(),
    moveScope: vi.fn(),
    renewTerms: vi.fn(),
    pageRecognizer: () => undefined,
    removeVersionChunks,
  };
  const start = () => {
    stop = startIngestion(steps);
  };
  const count = (table: string) => column(`SELECT count(*) FROM ${table}`)[0];
  const some = { parts: [Buffer.from("a"), Buffer.from("b")], texts: [{ text: "some text" }] };

  function addChunk(documentId: string, versionId: string, hash: string): void {
    const raw = rawDatabase();
    raw.exec("INSERT OR IGNORE INTO chunk_sets (id, org_id, key, created_at) VALUES (1, 'org_test', 'k', 0)");
    raw.exec(
      "INSERT OR IGNORE INTO embedding_spaces (id, org_id, key, kind, model, dimensions, created_at) VALUES (1, 'org_test', 'k', 'lexical', 'm', 1, 0)",
    );
    const position = raw.prepare("SELECT count(*) FROM chunks WHERE version_id = ?").pluck().get(versionId);
    raw
      .prepare(
        `INSERT INTO chunks (chunk_set_id, document_id, version_id, position, text, headings, start, "end", tokens, hash)
         VALUES (1, ?, ?, ?, 't', '[]', 0, 1, 1, ?)`,
      )
      .run(documentId, versionId, position, hash);
    raw.prepare("INSERT OR IGNORE INTO embeddings (space_id, hash, vector) VALUES (1, ?, x'00')").run(hash);
  }

  it("removes a deleted document with its own vectors once it can't be restored", async () => {
    const gone = addDocument("gone", { deletedAt: 1000 });
    const version = addVersion(gone, some);
    const stays = addDocument("stays");
    const other = addVersion(stays, some);
    addChunk(gone, version, "own");
    addChunk(gone, version, "shared");
    addChunk(stays, other, "shared");
    setClock(() => 1000 + UNDO_TIME - 1);
    expect(queuePurges()).toBe(0);
    setClock(() => 1000 + UNDO_TIME);
    expect(queuePurges()).toBe(1);
    expect(queuePurges()).toBe(0);
    start();
    await expect.poll(() => column("SELECT id FROM documents")).toEqual([stays]);
    expect([count("document_versions"), count("document_parts"), count("document_texts")]).toEqual([1, 2, 1]);
    expect(column("SELECT hash FROM embeddings")).toEqual(["shared"]);
    expect(column("SELECT hash FROM chunks")).toEqual(["shared"]);
  });

  it("counts the time of what a clock ahead deleted from when that is noticed", () => {
    setClock(() => 1000);
    addDocument("gone", { deletedAt: 1000 + 1000 * UNDO_TIME });
    expect(queuePurges()).toBe(0);
    setClock(() => 1000 + UNDO_TIME);
    expect(queuePurges()).toBe(1);
  });

  it("doesn't let repeatedly failing removals block others", () => {
    for (let index = 0; index < 20; index++)
      queued(test.actors.member, addDocument("stuck", { deletedAt: 1000 }), purgeJob);
    setClock(() => 1000 + UNDO_TIME);
    rawDatabase().exec(`UPDATE jobs SET state = 'failed', finished_at = ${UNDO_TIME}`);
    const waiting = addDocument("waits", { deletedAt: 1000 });
    expect(queuePurges()).toBe(1);
    expect(column("SELECT subject FROM jobs WHERE state = 'queued'")).toEqual([`document:${waiting}`]);
  });

  it("skips a document restored in time", async () => {
    const id = addDocument("back", { deletedAt: 1000 });
    addVersion(id, some);
    setClock(() => 1000 + UNDO_TIME);
    queuePurges();
    transaction((tx) => updateDocumentRow(tx, id, { deletedAt: null }));
    start();
    await expect.poll(purges).toEqual(["succeeded"]);
    expect(count("document_parts")).toBe(2);
  });

  it("keeps the last five versions without chunks, and the active one with them", async () => {
    const id = addDocument("often");
    const versions = Array.from({ length: 7 }, (_, index) =>
      addVersion(id, { ...some, number: index + 1, state: index === 6 ? "served" : "replaced" }),
    );
    for (const version of versions) addChunk(id, version, `hash of ${version}`);
    transaction((tx) => updateDocumentRow(tx, id, { versionId: versions[6] ?? null }));
    queued(test.actors.member, id, purgeJob);
    start();
    await expect.poll(purges).toEqual(["succeeded"]);
    expect(column("SELECT number FROM document_versions ORDER BY number")).toEqual([3, 4, 5, 6, 7]);
    expect(column("SELECT version_id FROM chunks")).toEqual([versions[6]]);
    expect(count("document_parts")).toBe(10);
  });

  it("doesn't count failed versions among those five", async () => {
    const id = addDocument("often", { type: "file" });
    const versions = Array.from({ length: 16 }, (_, index) =>
      addVersion(id, {
        ...some,
        number: index + 1,
        // Ten failed versions after six that were active.
        state: index < 5 ? "replaced" : index === 5 ? "served" : "failed",
      }),
    );
    transaction((tx) => updateDocumentRow(tx, id, { versionId: versions[5] ?? null }));
    queued(test.actors.member, id, purgeJob);
    start();
    await expect.poll(purges).toEqual(["succeeded"]);
    const numbers = column("SELECT number FROM document_versions ORDER BY number");
    expect(numbers).toEqual([2, 3, 4, 5, 6, 12, 13, 14, 15, 16]);
  });

  it("waits for a running upload to a deleted document", async () => {
    const id = addDocument("gone", { deletedAt: 1000 });
    const version = addVersion(id, { ...some, state: "receiving" });
    setClock(() => 1000 + UNDO_TIME);
    const job = () => rawDatabase().prepare("SELECT state, run_at FROM jobs").raw().all();
    const source = async function* () {
      yield Buffer.alloc(300_000);
      queuePurges();
      start();
      await expect.poll(job).toEqual([["scheduled", 1000 + UNDO_TIME + 1000]]);
      yield Buffer.alloc(300_000);
    };
    rawDatabase().exec("DELETE FROM document_parts");
    await trackUpload(version, () => receiveBytes(version, source(), {}));
    expect(count("document_parts")).toBe(3);
    setClock(() => 1000 + UNDO_TIME + 1000);
    await expect.poll(() => column("SELECT id FROM documents")).toEqual([]);
  });

  it("marks uploads interrupted by a crash as failed, and leaves URLs to their jobs", () => {
    const half = addDocument("half", { status: "processing", type: "file" });
    const version = addVersion(half, { state: "receiving" });
    const url = addDocument("url", { status: "processing", type: "url" });
    const fetching = addVersion(url, { state: "receiving" });
    transaction((tx) => addJob(tx, test.actors.member, ingestJob, { documentId: url, versionId: fetching }));
    expect(sweepBrokenUploads()).toBe(1);
    expect(findVersion(db(), version)?.state).toBe("failed");
    expect(findDocumentRow(db(), half)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("interrupted"),
    });
    expect(findDocumentRow(db(), url)?.status).toBe("processing");
  });
});
