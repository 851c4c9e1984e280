import { afterEach, beforeEach, expect, it } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { addDocument } from "../../../../tests/support/documents";
import { collectionStats, getDocument } from "../documents.service.server";
import { findDocumentForJob } from "../documents-for-jobs.repo.server";
import { recordEnd } from "../jobs/document-jobs.server";
import { addVersion } from "../versions/versions.repo.server";
import { retryFailed } from "./retry-failed.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

it.each([
  ["a damaged file", "file", "invalid", "1", false],
  ["a file without text", "file", "unprocessable", "1", false],
  ["an incomplete upload", "file", "invalid", null, false],
  ["a file after a provider timeout", "file", "provider_timeout", "1", true],
  ["an address", "url", "unprocessable", null, true],
] as const)("retries %s only if that can help", async (_, type, code, sha256, canRetry) => {
  const { member } = test.actors;
  const id = addDocument("one", { status: "failed", type, source: "https://example.com/one" });
  transaction((tx) => {
    const versionId = addVersion(tx, id, { state: "failed", sha256, createdBy: member.userId });
    const document = findDocumentForJob(tx, id);
    if (document) recordEnd(tx, document, { id: "job_1", state: "failed", code, versionId });
  });
  expect(getDocument(member, id).canRetry).toBe(canRetry);
  expect((await collectionStats(member)).retryable).toBe(canRetry ? 1 : 0);
  expect(await retryFailed(member)).toEqual({ documents: canRetry ? 1 : 0, more: false });
});

it("reports whether failed documents remain", async () => {
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
  expect(await retryFailed(member, 2)).toEqual({ documents: 2, more: true });
  expect(await retryFailed(member, 2)).toEqual({ documents: 1, more: false });
  const audited = rawDatabase().prepare("SELECT action FROM audit_entries").pluck().all();
  expect(audited.filter((action) => action === "document.retried")).toHaveLength(3);
});
