import { afterEach, beforeEach, expect, it } from "vitest";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { addDocument } from "../../../../tests/support/documents";
import { collectStatements, planOf } from "../../../../tests/support/plans";
import { listDocuments } from "../documents.service.server";
import { addJob, ingestJob, sitemapJob } from "../jobs/document-jobs.server";
import { findSitemapJob } from "../jobs/jobs.repo.server";
import { cancelBatch, findBatch, readBatch } from "./batches.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const STATUSES = ["ready", "processing", "failed", "processing", "ready"] as const;

/** Documents in all states; every seventh is restricted to its creator. */
function addBatch(documents: number): string {
  const batchId = "bat_1";
  addDocument("alone");
  for (let n = 0; n < documents; n++) {
    const status = STATUSES[n % STATUSES.length] ?? "ready";
    const visibility = n % 7 === 0 ? "named" : "organisation";
    const documentId = addDocument(`n${n}`, { batchId, status, visibility });
    if (status !== "processing") continue;
    transaction((tx) => addJob(tx, test.actors.member, ingestJob, { documentId, batchId }));
  }
  return batchId;
}

it("counts its documents by their status, and filters their list", async () => {
  const id = addBatch(10);
  const { member } = test.actors;
  const counts = { total: 10, processing: 4, ready: 4, failed: 2 };
  expect(await readBatch(member, id)).toEqual({ id, counts, sitemap: null, sameNames: [] });
  const { documents } = await listDocuments(member, { limit: 20, batch: id, status: "failed" });
  expect(documents.map(({ name }) => name)).toEqual(["n2", "n7"]);
});

it("has only the documents that one may view", async () => {
  const id = addBatch(10);
  const { admin, member } = test.actors;
  expect((await readBatch(admin, id)).counts.total).toBe(8);
  rawDatabase().exec("UPDATE documents SET created_by = 'usr_owner' WHERE name = 'n7'");
  expect((await readBatch(member, id)).counts.total).toBe(9);
  await expect(readBatch(member, "bat_2")).rejects.toThrow("not found");
  expect(await findBatch(member, "")).toBeUndefined();
});

it("is canceled and audited once, with its sitemap and without other work on its documents", async () => {
  const id = addBatch(10);
  const { member } = test.actors;
  const documentId = addDocument("ready before", { batchId: id });
  const refresh = transaction((tx) => addJob(tx, member, ingestJob, { documentId, refresh: true }));
  transaction((tx) => addJob(tx, member, sitemapJob, { batchId: id }));
  expect((await readBatch(member, id)).sitemap).toEqual({ isActive: true, error: null });
  expect((await readBatch(test.actors.admin, id)).sitemap).toBeNull();
  expect(await cancelBatch(member, id)).toEqual({ documents: 4 });
  expect(await cancelBatch(member, id)).toEqual({ documents: 0 });
  expect((await readBatch(member, id)).counts).toMatchObject({ processing: 0, failed: 6 });
  expect(findSitemapJob(db(), member.userId, id)).toEqual({ isActive: false, error: "It was canceled." });
  const waiting = rawDatabase().prepare("SELECT id FROM jobs WHERE state = 'queued'").pluck().all();
  expect(waiting).toEqual([refresh]);
  const audited = rawDatabase().prepare("SELECT action FROM audit_entries").pluck().all();
  expect(audited).toEqual(["batch.cancelled"]);
});

it("is found by indexes", async () => {
  const id = addBatch(10);
  const collected = collectStatements();
  await cancelBatch(test.actors.member, id);
  const statements = collected().filter((sql) => /^select.*"jobs"/.test(sql));
  expect(statements.length).toBeGreaterThanOrEqual(3);
  for (const sql of statements) expect(planOf(sql)).not.toMatch(/SCAN (jobs|documents)/);
});
