import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../../../tests/support/database";
import { addDocument } from "../../../../../tests/support/documents";
import { collectStatements, planOf } from "../../../../../tests/support/plans";
import { JobInput } from "../../documents/jobs/job";
import { insertBatch, insertJob } from "../../documents/jobs/jobs.repo.server";
import { BatchQuery } from "./batches.schema";
import { cancelBatch, findReadableBatch, listRetryableOfBatch, readBatch } from "./batches.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const STATES = ["done", "queued", "failed", "running", "cancelled"] as const;

/** Jobs in all states; every seventh document is restricted to its creator. */
function addBatch(jobs: number): string {
  const [orgId, userId, batchId] = ["org_test", "usr_member", "bat_1"];
  transaction((tx) => {
    insertBatch(tx, { id: batchId, orgId, userId, label: "Upload", createdAt: 0 });
    for (let n = 0; n < jobs; n++) {
      const documentId = addDocument(`n${n}`, { visibility: n % 7 === 0 ? "named" : "organisation" });
      const state = STATES[n % STATES.length] ?? "done";
      const own = { id: `job_${String(n).padStart(5, "0")}`, orgId, userId, batchId, documentId };
      insertJob(tx, { ...own, kind: "ingest", state, runAt: 0, createdAt: n, input: { by: { userId } } });
    }
  });
  return batchId;
}

it("is read in pages, over the API in the order its documents came", () => {
  const id = addBatch(230);
  const { member } = test.actors;
  const pages = [1, 2, 3].map((page) => readBatch(member, id, { page }));
  expect(pages.map(({ page, pages: all, items }) => [page, all, items.length])).toEqual([
    [1, 3, 100],
    [2, 3, 100],
    [3, 3, 30],
  ]);
  expect(pages.flatMap(({ items }) => items.map(({ name }) => name))).toEqual(
    Array.from({ length: 230 }, (_, n) => `n${n}`),
  );
  expect(pages[0]?.counts).toEqual({
    total: 230,
    queued: 46,
    running: 46,
    done: 46,
    failed: 46,
    cancelled: 46,
  });
  const failed = readBatch(member, id, BatchQuery.parse({ state: "failed", page: "9" }));
  expect(failed).toMatchObject({ page: 1, pages: 1, counts: { total: 230 } });
  expect(failed.items.map(({ name }) => name).slice(0, 3)).toEqual(["n2", "n7", "n12"]);
  expect(failed.items).toHaveLength(46);
});

it("shows on the screen what failed first, then what runs", () => {
  const id = addBatch(60);
  const states = [1, 2].flatMap(
    (page) => findReadableBatch(test.actors.member, id, page)?.items.map(({ state }) => state) ?? [],
  );
  expect(states).toHaveLength(60);
  expect(states.slice(0, 24)).toEqual([...Array(12).fill("failed"), ...Array(12).fill("running")]);
  expect(findReadableBatch(test.actors.member, id, 99)?.page).toBe(2);
});

it("counts, shows and cancels for someone else what they see", async () => {
  const id = addBatch(70);
  const { admin, member, viewer } = test.actors;
  const batch = readBatch(admin, id);
  expect(batch.counts.total).toBe(60);
  expect(batch.items.map(({ name }) => name)).not.toContain("n7");
  expect(() => readBatch(viewer, id)).toThrow("not found");
  await cancelBatch(admin, id);
  // The hidden active ones: 21 and 56, 28 and 63.
  expect(readBatch(member, id).counts).toMatchObject({ queued: 2, running: 2, failed: 14 });
});

it("is found by its index, not by the state of all jobs there are", async () => {
  const id = addBatch(10);
  const { member, admin } = test.actors;
  const collected = collectStatements();
  readBatch(member, id, { page: 1, state: "failed" });
  findReadableBatch(admin, id);
  listRetryableOfBatch(member, id);
  await cancelBatch(member, id);
  const statements = collected().filter((sql) => /^select.*"ingest_jobs"."batch_id" = /.test(sql));
  expect(statements.length).toBeGreaterThanOrEqual(5);
  for (const sql of statements) expect(planOf(sql)).toContain("ingest_jobs USING INDEX ingest_jobs_batch");
});

it("is counted without reading the input of thousands of jobs", () => {
  const id = addBatch(1000);
  rawDatabase().exec("UPDATE ingest_jobs SET input = '{}' WHERE id > 'job_00010'");
  const parse = vi.spyOn(JobInput, "parse").mockImplementation(() => ({ by: { userId: "x" }, crashes: 0 }));
  expect(findReadableBatch(test.actors.member, id)?.counts.total).toBe(1000);
  expect(parse.mock.calls.length).toBeLessThanOrEqual(50);
  parse.mockRestore();
});
