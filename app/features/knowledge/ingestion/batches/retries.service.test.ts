import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { now } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../../../tests/support/database";
import { addDocument } from "../../../../../tests/support/documents";
import { startIngestion } from "../../../../../tests/support/ingestion";
import { type MockServer, startMockServer } from "../../../../../tests/support/mock-server";
import { collectionStats, getDocument } from "../../documents/documents.service.server";
import { insertBatch, insertJob } from "../../documents/jobs/jobs.repo.server";
import { addVersion } from "../../documents/versions/add-version.server";
import type { IngestSteps } from "../steps.server";
import { BatchInput } from "./batches.schema";
import { cancelBatch, createBatch, readBatch } from "./batches.service.server";
import { retryBatch, retryFailed } from "./retries.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
let upstream: MockServer;
let pages: string[] | undefined;

const steps: IngestSteps = {
  readVersion: async ({ versionId }) => ({
    title: "",
    facts: { format: "Text" },
    textHash: versionId,
    textLength: 4,
    pieces: [{ start: 0, text: "text", blocks: "[]" }],
  }),
  indexVersion: async () => undefined,
  removeVersionChunks: async () => undefined,
  moveScope: async () => undefined,
  renewTerms: async () => undefined,
};
beforeEach(async () => {
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
  upstream = await startMockServer(({ url }, response) => {
    if (url !== "/sitemap.xml") response.end(`<p>The page ${url}.</p>`);
    else if (!pages) response.writeHead(404).end();
    else {
      const listed = pages.map((page) => `<url><loc>${upstream.origin}${page}</loc></url>`).join("");
      response.setHeader("content-type", "application/xml").end(`<urlset>${listed}</urlset>`);
    }
  });
  pages = undefined;
  stop = startIngestion(steps);
});
afterEach(async () => {
  await stop();
  await upstream.close();
  test.close();
});

const begin = async () => {
  const input = BatchInput.parse({ sitemap: `${upstream.origin}/sitemap.xml` });
  const { id } = await createBatch(test.actors.member, input);
  return { id, ended: () => whenEnded(id) };
};
const whenEnded = (id: string) =>
  vi.waitFor(
    () => {
      const batch = readBatch(test.actors.member, id);
      expect(batch.counts.queued + batch.counts.running).toBe(0);
      return batch;
    },
    { timeout: 5000 },
  );
const asked = () => upstream.requests.map(({ url }) => url).filter((url) => url !== "/sitemap.xml");

it("reads a sitemap again that couldn't be read", async () => {
  const { id, ended } = await begin();
  expect((await ended()).items).toMatchObject([{ state: "failed", error: expect.stringContaining("404") }]);
  pages = ["/a", "/b"];
  const { documents, sitemap, batch } = await retryBatch(test.actors.member, id);
  expect({ documents, sitemap, failed: batch.counts.failed }).toEqual({
    documents: 0,
    sitemap: true,
    failed: 0,
  });
  expect((await ended()).counts).toMatchObject({ total: 3, done: 3 });
  expect(rawDatabase().prepare("SELECT action FROM audit_entries").pluck().all()).toContain("batch.retried");
});

it("doesn't queue again what the sitemap had queued before it failed", async () => {
  pages = ["/a"];
  const { id, ended } = await begin();
  await ended();
  rawDatabase().exec("UPDATE ingest_jobs SET state = 'failed', error = 'broken off' WHERE kind = 'sitemap'");
  pages = ["/a", "/b"];
  await retryBatch(test.actors.member, id);
  expect((await ended()).counts).toMatchObject({ total: 3, done: 3 });
  expect(asked()).toEqual(["/a", "/b"]);
});

it("continues with a batch whose rest was cancelled", async () => {
  const { id, ended } = await begin();
  await ended();
  await cancelBatch(test.actors.member, id);
  pages = ["/a"];
  expect((await retryBatch(test.actors.member, id)).batch.cancelledAt).toBeNull();
  expect((await ended()).counts).toMatchObject({ total: 2, done: 2 });
});

it("refuses where nothing failed, who may not, and another's sitemap", async () => {
  const { id, ended } = await begin();
  await ended();
  await expect(retryBatch(test.actors.viewer, id)).rejects.toMatchObject({ code: "forbidden" });
  await expect(retryBatch(test.actors.admin, id)).rejects.toMatchObject({ code: "not_found" });
  pages = ["/a"];
  await retryBatch(test.actors.member, id);
  await ended();
  await expect(retryBatch(test.actors.member, id)).rejects.toMatchObject({ code: "conflict" });
});

it.each([
  ["a damaged file", "file", "invalid", "1", false],
  ["a file without text", "file", "unprocessable", "1", false],
  ["a file that never came whole", "file", "invalid", null, false],
  ["a file that a provider held up", "file", "provider_timeout", "1", true],
  ["an address", "url", "unprocessable", null, true],
] as const)("tries %s again only where that can help", async (_, type, code, sha256, canRetry) => {
  const { member } = test.actors;
  const { orgId, userId } = member;
  await stop();
  const id = addDocument("one", { status: "failed", type, source: "https://example.com/one" });
  transaction((tx) => {
    const versionId = addVersion(tx, id, { state: "failed", sha256, createdBy: userId });
    insertBatch(tx, { id: "bat_1", orgId, userId, label: "Upload", upload: true, createdAt: now() });
    const job = { id: "job_1", orgId, userId, documentId: id, versionId, batchId: "bat_1" } as const;
    const input = { by: { userId }, code };
    const ended = { state: "failed", runAt: now(), createdAt: now(), finishedAt: now() } as const;
    insertJob(tx, { ...job, ...ended, kind: "ingest", input });
  });
  expect(getDocument(member, id).canRetry).toBe(canRetry);
  expect((await collectionStats(member)).retryable).toBe(canRetry ? 1 : 0);
  expect(readBatch(member, "bat_1").retryable).toBe(canRetry ? 1 : 0);
  expect(await retryFailed(member)).toEqual({ documents: canRetry ? 1 : 0, more: false });
});

it("says whether more have failed than it tries again at once, whatever can't be retried", async () => {
  const { member } = test.actors;
  const failed = (name: string, sha256: string | null) => {
    const id = addDocument(name, { status: "failed", type: "file" });
    transaction((tx) => addVersion(tx, id, { state: "failed", sha256, createdBy: "usr_member" }));
  };
  // The first one has no stored bytes.
  for (const [name, sha256] of [
    ["a", null],
    ["b", "1"],
    ["c", "2"],
    ["d", "3"],
  ] as const)
    failed(name, sha256);
  await stop();
  expect(await retryFailed(member, 2)).toEqual({ documents: 2, more: true });
  expect(await retryFailed(member, 2)).toEqual({ documents: 1, more: false });
  const audited = rawDatabase().prepare("SELECT action FROM audit_entries").pluck().all();
  expect(audited.filter((action) => action === "document.retried")).toHaveLength(3);
});
