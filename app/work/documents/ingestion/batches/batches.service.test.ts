import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../../../tests/support/database";
import { addDocument } from "../../../../../tests/support/documents";
import { collectStatements, planOf } from "../../../../../tests/support/plans";
import { JobInput } from "../../jobs/job";
import { insertJob } from "../../jobs/jobs.repo.server";
import { insertBatch } from "./batches.repo.server";
import { cancelBatch, findOwnBatch, readBatch } from "./batches.service.server";

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

it("is paged: failed items first, then running ones", () => {
  const id = addBatch(120);
  const { member } = test.actors;
  const pages = [1, 2, 3].map((page) => readBatch(member, id, { page }));
  expect(pages.map(({ page, pages: all, items }) => [page, all, items.length])).toEqual([
    [1, 3, 50],
    [2, 3, 50],
    [3, 3, 20],
  ]);
  const states = pages.flatMap(({ items }) => items.map(({ state }) => state));
  expect(states.slice(0, 48)).toEqual([...Array(24).fill("failed"), ...Array(24).fill("running")]);
  expect(pages[0]?.items.map(({ name }) => name).slice(0, 3)).toEqual(["n2", "n7", "n12"]);
  expect(pages[0]?.counts).toEqual({
    total: 120,
    queued: 24,
    running: 24,
    done: 24,
    failed: 24,
    cancelled: 24,
  });
  expect(findOwnBatch(member, id, 99)?.page).toBe(3);
});

it("is visible to the person who started it, without documents hidden from them since", async () => {
  const id = addBatch(10);
  const { admin, member } = test.actors;
  expect(() => readBatch(admin, id)).toThrow("not found");
  expect(findOwnBatch(admin, id, 1)).toBeUndefined();
  rawDatabase().exec("UPDATE documents SET created_by = 'usr_owner' WHERE name = 'n7'");
  expect(readBatch(member, id).counts.total).toBe(9);
  await cancelBatch(member, id);
  expect(readBatch(member, id).counts).toMatchObject({ queued: 0, running: 0, cancelled: 6 });
});

it("is canceled and audited once", async () => {
  const id = addBatch(10);
  await cancelBatch(test.actors.member, id);
  const again = await cancelBatch(test.actors.member, id);
  expect(again.counts).toMatchObject({ queued: 0, running: 0 });
  const audited = rawDatabase().prepare("SELECT action FROM audit_entries").pluck().all();
  expect(audited).toEqual(["batch.cancelled"]);
});

it("is found by its index, without scanning all jobs", async () => {
  const id = addBatch(10);
  const { member } = test.actors;
  const collected = collectStatements();
  readBatch(member, id);
  await cancelBatch(member, id);
  const statements = collected().filter((sql) => /^select.*"ingest_jobs"."batch_id" = /.test(sql));
  expect(statements.length).toBeGreaterThanOrEqual(3);
  for (const sql of statements) expect(planOf(sql)).toContain("ingest_jobs USING INDEX ingest_jobs_batch");
});

it("is counted without reading the input of thousands of jobs", () => {
  const id = addBatch(1000);
  rawDatabase().exec("UPDATE ingest_jobs SET input = '{}' WHERE id > 'job_00010'");
  const parse = vi.spyOn(JobInput, "parse").mockImplementation(() => ({ by: { userId: "x" } }));
  expect(findOwnBatch(test.actors.member, id, 1)?.counts.total).toBe(1000);
  expect(parse.mock.calls.length).toBeLessThanOrEqual(50);
  parse.mockRestore();
});
