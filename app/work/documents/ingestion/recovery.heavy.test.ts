import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { JobQuery } from "~/platform/jobs/jobs.schema";
import { listJobPage, retryJob } from "~/platform/jobs/jobs.service.server";
import { listVersionChunks } from "~/work/index/chunks.repo.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { startIngestion, storedBytes, whenIdle } from "../../../../tests/support/ingestion";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { patchDocument } from "../document-changes.service.server";
import { getDocument } from "../documents.service.server";
import { cancelDocument, retryDocument } from "../jobs/work.service.server";
import { deleteDocument, restoreDocument } from "../removal/document-removal.service.server";
import { listVersions, readText } from "../versions/document-parts.service.server";
import { removeVersion } from "../versions/version-content.server";
import { addDocument } from "./accept.server";
import { createBatch } from "./batches.service.server";
import type { IngestSteps } from "./context.server";
import {
  addDocumentVersion,
  receiveDocumentVersion,
  restoreVersion,
} from "./document-versions.service.server";
import type { UploadPart } from "./ingest.schema";
import { BatchInput, IngestInput } from "./ingest.schema";
import { ingest } from "./ingest.service.server";
import { sweepBrokenUploads } from "./schedule.server";
import { receiveUpload } from "./upload.service.server";

const rows = (sql: string) => rawDatabase().prepare(sql).raw().all();

/** Two chunks in reverse order. */
function addChunks(documentId: string, versionId: string): void {
  const raw = rawDatabase();
  raw.exec("INSERT OR IGNORE INTO chunk_sets (id, org_id, key, created_at) VALUES (1, 'org_test', 'k', 0)");
  for (const position of [1, 0])
    raw
      .prepare(
        `INSERT OR IGNORE INTO chunks (chunk_set_id, document_id, version_id, position, text, headings, start, "end", tokens, hash)
         VALUES (1, ?, ?, ?, 't', '[]', 0, 1, 1, ?)`,
      )
      .run(documentId, versionId, position, `${versionId}/${position}`);
}

async function* fileOf(text: string): AsyncGenerator<UploadPart> {
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  yield { kind: "file", fileName: "note.txt", contentType: "text/plain", bytes };
}

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
let upstream: MockServer | undefined;
const indexVersion = vi.fn<IngestSteps["indexVersion"]>();
const readVersion = vi.fn<IngestSteps["readVersion"]>();
const moveScope = vi.fn<IngestSteps["moveScope"]>(async () => undefined);
const renewTerms = vi.fn<IngestSteps["renewTerms"]>(async () => undefined);
const start = () => {
  const steps: IngestSteps = {
    readVersion,
    indexVersion,
    pageRecognizer: () => undefined,
    removeVersionChunks: async (versionId) => {
      rawDatabase().prepare("DELETE FROM chunks WHERE version_id = ?").run(versionId);
    },
    moveScope,
    renewTerms,
  };
  stop = startIngestion(steps);
};
beforeEach(() => {
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
  indexVersion.mockReset();
  indexVersion.mockImplementation(async ({ documentId, versionId }) => {
    addChunks(documentId, versionId);
    return { hasEmbeddings: true };
  });
  moveScope.mockClear();
  renewTerms.mockClear();
  readVersion.mockReset();
  readVersion.mockImplementation(async ({ versionId }) => {
    const text = storedBytes(versionId).toString().trim();
    const blocks = JSON.stringify([{ kind: "paragraph", start: 0, end: text.length }]);
    const pieces = [{ start: 0, text, blocks }];
    return { title: "", facts: { format: "Text" }, textHash: text, textLength: text.length, pieces };
  });
  start();
});
afterEach(async () => {
  await stop();
  await upstream?.close();
  upstream = undefined;
  test.close();
});

const add = async (text: string) => {
  const { document } = await ingest(test.actors.member, IngestInput.parse({ text, title: "Note" }));
  return document.id;
};
const states = (id: string) =>
  listVersions(test.actors.member, id, { limit: 9 }).versions.map(
    ({ number, state }) => `${number} ${state}`,
  );
const text = (id: string) => readText(test.actors.member, id, { from: 0 }).text;
const statusOf = (id: string) => getDocument(test.actors.member, id).status;
const chunksOf = () =>
  rows(
    "SELECT v.number, count(*) FROM chunks c JOIN document_versions v ON v.id = c.version_id GROUP BY v.id ORDER BY 1",
  );
const refuse = async () => {
  throw new AppError("provider_rejected", "no");
};

describe("the active version", () => {
  it("survives a retry after an older version could not be restored", async () => {
    const id = await add("First words.");
    await addDocumentVersion(test.actors.member, id, { text: "Second words.", format: "text" });
    await whenIdle();
    indexVersion.mockImplementationOnce(refuse);
    restoreVersion(test.actors.member, id, 1);
    await whenIdle();
    expect([statusOf(id), text(id)]).toEqual(["ready", "Second words."]);
    retryDocument(test.actors.member, id);
    await whenIdle();
    expect([statusOf(id), text(id), ...states(id)]).toEqual([
      "ready",
      "First words.",
      "2 replaced",
      "1 served",
    ]);
    expect(readVersion).toHaveBeenCalledTimes(2);
  });

  it("is never removed", async () => {
    const id = await add("First words.");
    const [[version] = []] = rows("SELECT version_id FROM documents") as string[][];
    await expect(removeVersion(version ?? "")).rejects.toThrow("is current");
    expect(text(id)).toBe("First words.");
  });

  it("survives an identical upload with a crash at any point", async () => {
    const { files } = await receiveUpload(test.actors.member, fileOf("First words."));
    const id = files[0]?.id ?? "";
    await whenIdle();
    await receiveDocumentVersion(test.actors.member, id, fileOf("First words.  "));
    // Everything except purging is part of the first commit.
    await expect.poll(() => rows("SELECT 1 FROM jobs WHERE kind = 'documents.purge'")).toHaveLength(1);
    expect(
      rows("SELECT count(*) FROM jobs WHERE kind = 'documents.ingest' AND state <> 'succeeded'"),
    ).toEqual([[0]]);
    expect(rows("SELECT status FROM documents")).toEqual([["ready"]]);
    await stop();
    start();
    await whenIdle();
    expect([statusOf(id), text(id), ...states(id)]).toEqual(["ready", "First words.", "1 served"]);
    expect(rows("SELECT DISTINCT state FROM jobs")).toEqual([["succeeded"]]);
    expect(rows("SELECT count(*) FROM document_parts")).toEqual([[1]]);
  });

  it("stays ready after a crash during the upload of a new version", async () => {
    const id = await add("First words.");
    const insert = `INSERT INTO document_versions (id, document_id, number, state, created_by, created_at)
      VALUES ('ver_x', ?, 2, 'receiving', 'usr_member', 1)`;
    rawDatabase().prepare(insert).run(id);
    expect(sweepBrokenUploads()).toBe(1);
    expect(statusOf(id)).toBe("ready");
    await stop();
    start();
    await whenIdle();
    expect(states(id)).toEqual(["1 served"]);
  });
});

describe("a refresh", () => {
  const page = async (answer: Parameters<typeof startMockServer>[0]) => {
    upstream = await startMockServer(answer);
    const { document } = await ingest(test.actors.member, IngestInput.parse({ url: `${upstream.origin}/` }));
    await whenIdle();
    return document.id;
  };

  it("answered with 304 removes data of an earlier attempt", async () => {
    let changed = true;
    const id = await page((_, response) => {
      if (changed) response.setHeader("content-type", "text/plain").end("First words.");
      else response.writeHead(304).end();
    });
    changed = false;
    retryDocument(test.actors.member, id);
    const insert = `INSERT INTO document_versions (id, document_id, number, state, created_by, created_at)
      VALUES ('ver_x', ?, 2, 'receiving', 'usr_member', 1)`;
    rawDatabase().prepare(insert).run(id);
    rawDatabase().exec(
      "UPDATE jobs SET input = json_set(input, '$.versionId', 'ver_x') WHERE state = 'queued'",
    );
    await whenIdle();
    expect([statusOf(id), ...states(id)]).toEqual(["ready", "1 served"]);
    expect(sweepBrokenUploads()).toBe(0);
  });

  it("that keeps failing keeps the bytes of one attempt at most", async () => {
    let count = 0;
    const id = await page((_, response) =>
      response.setHeader("content-type", "text/plain").end(`Words of ${++count}.`),
    );
    indexVersion.mockImplementation(refuse);
    for (let again = 0; again < 3; again++) {
      retryDocument(test.actors.member, id);
      await whenIdle();
    }
    expect([statusOf(id), ...states(id)]).toEqual(["ready", "4 failed", "1 served"]);
    expect(rows("SELECT count(*) FROM document_parts")).toEqual([[2]]);
    expect(rows("SELECT count(*) FROM jobs WHERE state = 'failed'")).toEqual([[3]]);
  });
});

describe("unused chunks", () => {
  it("of the newest version are removed when an older one is restored", async () => {
    const id = await add("First words.");
    await addDocumentVersion(test.actors.member, id, { text: "Second words.", format: "text" });
    await whenIdle();
    restoreVersion(test.actors.member, id, 1);
    await whenIdle();
    expect(states(id)).toEqual(["2 replaced", "1 served"]);
    expect(chunksOf()).toEqual([[1, 2]]);
  });

  it("of a cancelled version are removed", async () => {
    const id = await add("First words.");
    indexVersion.mockImplementationOnce(async ({ documentId, versionId, signal }) => {
      addChunks(documentId, versionId);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    await addDocumentVersion(test.actors.member, id, { text: "Second words.", format: "text" });
    await expect.poll(() => chunksOf()).toHaveLength(2);
    cancelDocument(test.actors.member, id);
    await whenIdle();
    expect([statusOf(id), ...states(id)]).toEqual(["ready", "2 failed", "1 served"]);
    expect(chunksOf()).toEqual([[1, 2]]);
  });

  it("are removed in order, so that a version with its first chunk is complete", async () => {
    await add("First words.");
    const [[version] = []] = rows("SELECT version_id FROM documents") as string[][];
    const [first] = listVersionChunks(db(), version ?? "", 1);
    expect(first?.hash).toBe(`${version}/0`);
  });
});

describe("Undo", () => {
  it("resumes an accepted new version and moves the document's points", async () => {
    const id = await add("First words.");
    readVersion.mockImplementationOnce(
      (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    await addDocumentVersion(test.actors.member, id, { text: "Second words.", format: "text" });
    await expect.poll(() => readVersion).toHaveBeenCalledTimes(2);
    patchDocument(test.actors.member, id, { visibility: "named", name: "Other" });
    deleteDocument(test.actors.member, id);
    await whenIdle();
    expect(moveScope).not.toHaveBeenCalled();
    restoreDocument(test.actors.member, id);
    await whenIdle();
    expect([statusOf(id), text(id), ...states(id)]).toEqual([
      "ready",
      "Second words.",
      "2 served",
      "1 replaced",
    ]);
    expect(moveScope).toHaveBeenCalledWith(id, expect.any(AbortSignal));
    expect(renewTerms).toHaveBeenCalledWith(id, expect.any(AbortSignal));
  });

  it("doesn't restart work that was cancelled before", async () => {
    const id = await add("First words.");
    readVersion.mockImplementationOnce(
      (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    await addDocumentVersion(test.actors.member, id, { text: "Second words.", format: "text" });
    await expect.poll(() => readVersion).toHaveBeenCalledTimes(2);
    cancelDocument(test.actors.member, id);
    await whenIdle();
    deleteDocument(test.actors.member, id);
    restoreDocument(test.actors.member, id);
    await whenIdle();
    expect([statusOf(id), text(id)]).toEqual(["ready", "First words."]);
  });
});

describe("a job on a document", () => {
  it("isn't failed while it progresses between crashes", async () => {
    await stop();
    await ingest(test.actors.member, IngestInput.parse({ text: "Words." }), { waitMs: 0 });
    const crash = () => rawDatabase().exec("UPDATE jobs SET state = 'running', finished_at = NULL");
    const crashes = () => rows("SELECT crashes FROM jobs WHERE kind = 'documents.ingest'")[0];
    for (let chunks = 10; chunks < 120; chunks += 10) {
      indexVersion.mockImplementationOnce(async ({ onProgress, signal }) => {
        onProgress("embedding", chunks, 1000);
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      });
      start();
      await expect.poll(() => indexVersion.mock.calls.length).toBe(chunks / 10);
      expect(crashes()).toEqual([0]);
      await stop();
      crash();
    }
    start();
    await whenIdle();
    expect(rows("SELECT status FROM documents")).toEqual([["ready"]]);
  });

  it("is failed with a reason after repeated crashes at the same point", async () => {
    await stop();
    await ingest(test.actors.member, IngestInput.parse({ text: "Words." }), { waitMs: 0 });
    rawDatabase().exec("UPDATE jobs SET state = 'running', crashes = 9");
    start();
    await whenIdle();
    expect(rows("SELECT status, error FROM documents")).toEqual([
      ["failed", "The console stopped during each attempt."],
    ]);
    expect(readVersion).not.toHaveBeenCalled();
  });

  it("that failed is retried from the System screen together with its document", async () => {
    readVersion.mockRejectedValueOnce(new Error("defect"));
    await expect(add("Words.")).rejects.toThrow();
    const [[id]] = rows("SELECT id FROM jobs WHERE state = 'failed'") as [[string]];
    expect(listJobPage(test.actors.admin, JobQuery.parse({ state: "failed" })).jobs[0]).toMatchObject({
      id,
      title: "Ingest documents",
      error: "The error is visible only to people with access to the job's subject.",
    });
    retryJob(test.actors.admin, id);
    await whenIdle();
    expect(rows("SELECT status FROM documents")).toEqual([["ready"]]);
    expect(rows("SELECT state FROM jobs WHERE state = 'failed'")).toEqual([]);
    expect(() => retryJob(test.actors.admin, id)).toThrow("Only a failed job can be retried.");
  });

  it("that failed can't be retried once its document was ingested otherwise", async () => {
    readVersion.mockRejectedValueOnce(new Error("defect"));
    await expect(add("Words.")).rejects.toThrow();
    const [[id]] = rows("SELECT id FROM jobs WHERE state = 'failed'") as [[string]];
    const [[document]] = rows("SELECT id FROM documents") as [[string]];
    retryDocument(test.actors.member, document);
    await whenIdle();
    expect(() => retryJob(test.actors.admin, id)).toThrow("has already been ingested");
  });
});

describe("a duplicate text", () => {
  const give = async (targetFields: Record<string, unknown>) => {
    const input = IngestInput.parse({ text: "Same words.", title: "Note", ...targetFields });
    return (await ingest(test.actors.member, input)).document.id;
  };

  it("creates a document if its readers differ", async () => {
    const named = await give({ visibility: "named", readers: ["usr_viewer"] });
    expect(await give({ visibility: "named", readers: ["usr_viewer"] })).toBe(named);
    expect(await give({ visibility: "named", readers: ["usr_admin"] })).not.toBe(named);
    const open = await give({});
    expect(open).not.toBe(named);
    expect(await give({})).toBe(open);
  });

  it("is recognised in the active version though a newer one failed", async () => {
    const id = await give({});
    readVersion.mockRejectedValueOnce(new Error("defect"));
    await addDocumentVersion(test.actors.member, id, { text: "Other words.", format: "text" });
    await whenIdle();
    expect(await give({})).toBe(id);
    expect(states(id)).toEqual(["2 failed", "1 served"]);
  });
});

describe("an old request", () => {
  it("ignores a category and readers deleted since", () => {
    const target = {
      categoryId: "cat_gone",
      visibility: "named" as const,
      readers: ["usr_gone", "usr_viewer"],
      refreshEvery: null,
    };
    transaction((tx) =>
      addDocument(tx, test.actors.member, target, { name: "a", type: "file", source: "a" }),
    );
    expect(rows("SELECT user_id FROM document_readers")).toEqual([["usr_viewer"]]);
    expect(
      rows("SELECT c.fixed FROM documents d JOIN document_categories c ON c.id = d.category_id"),
    ).toEqual([[1]]);
  });

  it("adds no documents of a sitemap if the requester lost permission", async () => {
    await stop();
    upstream = await startMockServer((_, response) =>
      response
        .setHeader("content-type", "application/xml")
        .end(`<urlset><url><loc>${upstream?.origin}/a</loc></url></urlset>`),
    );
    await createBatch(test.actors.member, BatchInput.parse({ sitemap: `${upstream.origin}/sitemap.xml` }));
    rawDatabase().exec("UPDATE users SET role = 'viewer' WHERE id = 'usr_member'");
    start();
    await whenIdle();
    expect(rows("SELECT state, error FROM jobs")).toEqual([
      [
        "failed",
        "The person who started this can no longer add documents. Start it again as someone who can.",
      ],
    ]);
    expect(rows("SELECT id FROM documents")).toEqual([]);
  });
});

it("a failed document can be retried when its job is no longer kept", async () => {
  readVersion.mockRejectedValueOnce(new Error("defect"));
  await expect(add("Words.")).rejects.toThrow();
  rawDatabase().exec("DELETE FROM jobs");
  const [[id]] = rows("SELECT id FROM documents") as [[string]];
  retryDocument(test.actors.member, id);
  await whenIdle();
  expect(statusOf(id)).toBe("ready");
});
