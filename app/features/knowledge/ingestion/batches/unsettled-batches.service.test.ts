import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../../../tests/support/database";
import { addDocument } from "../../../../../tests/support/documents";
import { planOf } from "../../../../../tests/support/plans";
import { insertBatch, insertJob, type JobRow } from "../../documents/jobs/jobs.repo.server";
import { BatchInput } from "./batches.schema";
import { createBatch } from "./batches.service.server";
import { retryBatch } from "./retries.service.server";
import { recentQuery } from "./unsettled-batches.repo.server";
import { listRecentBatches } from "./unsettled-batches.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  setClock();
  await closeWorkerPools();
  test.close();
});

function addBatch(
  id: string,
  states: JobRow["state"][],
  { userId = "usr_member", createdAt = 0, hidden = false } = {},
) {
  const orgId = "org_test";
  transaction((tx) => {
    insertBatch(tx, { id, orgId, userId, label: `Upload ${id}`, createdAt });
    for (const [n, state] of states.entries()) {
      const documentId = addDocument(
        `${id}-${n}`,
        hidden ? { visibility: "named", createdBy: "usr_owner" } : {},
      );
      const own = { id: `job_${id}_${n}`, orgId, userId, batchId: id, documentId };
      insertJob(tx, { ...own, kind: "ingest", state, runAt: 0, createdAt, input: { by: { userId } } });
    }
  });
}

async function addSitemap(): Promise<string> {
  const { id } = await createBatch(
    test.actors.member,
    BatchInput.parse({ sitemap: "https://example.org/sitemap.xml" }),
  );
  rawDatabase()
    .prepare("UPDATE ingest_jobs SET state = 'failed', error = 'It is no sitemap.' WHERE batch_id = ?")
    .run(id);
  rawDatabase().exec("UPDATE jobs SET state = 'failed'");
  return id;
}

const ids = async (actor = test.actors.member) => (await listRecentBatches(actor)).map(({ id }) => id);

it("what waits, runs or has failed is listed, the newest first, and nothing else", async () => {
  addBatch("old", ["failed", "done", "done"], { createdAt: 1 });
  addBatch("new", ["queued", "running", "done"], { createdAt: 3 });
  addBatch("over", ["done", "cancelled"], { createdAt: 2 });
  addBatch("others", ["failed"], { userId: "usr_admin" });
  addBatch("unseen", ["failed"], { hidden: true, createdAt: 4 });
  expect(await listRecentBatches(test.actors.member)).toEqual([
    {
      id: "new",
      label: "Upload new",
      createdAt: "1970-01-01T00:00:00.003Z",
      counts: { total: 3, queued: 1, running: 1, done: 1, failed: 0, cancelled: 0 },
      retryable: 0,
      sitemapFailed: false,
    },
    expect.objectContaining({ id: "old", counts: expect.objectContaining({ total: 3, failed: 1, done: 2 }) }),
  ]);
  expect(await ids(test.actors.admin)).toEqual(["others"]);
  await expect(listRecentBatches(test.actors.viewer)).rejects.toMatchObject({ code: "forbidden" });
});

it("a sitemap that failed is found again, also while it is retried", async () => {
  const { member } = test.actors;
  const id = await addSitemap();
  expect(await listRecentBatches(member)).toMatchObject([
    { id, label: "https://example.org/sitemap.xml", sitemapFailed: true, counts: { total: 1, failed: 1 } },
  ]);
  await retryBatch(member, id);
  expect(await ids()).toEqual([id]);
});

it("is found by indexes, however many batches and jobs there are", () => {
  const { sql } = recentQuery(db(), { orgId: "org_test", userId: "usr_member" }, 10);
  const plan = planOf(sql);
  expect(plan).toContain("ingest_batches_user");
  expect(plan).toContain("ingest_jobs_unsettled");
  expect(plan).not.toMatch(/SCAN ingest_/);
});
