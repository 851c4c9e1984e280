import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { addDocument } from "../../../tests/support/documents";
import {
  changeDocuments,
  restoreDeletion,
  restoreDocuments,
  retryFailed,
  undoMoves,
} from "./bulk-documents.service.server";
import { findDocumentRow } from "./document-rows.repo.server";
import { collectionStats, getDocument, listDocuments } from "./documents.service.server";
import { recordEnd, UNDO_TIME } from "./jobs/document-jobs.server";
import { addVersion } from "./versions/versions.repo.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => {
  setClock();
  test.close();
});

const namesIn = async (category: string) =>
  (await listDocuments(test.actors.owner, { category, limit: 100 })).documents.map(({ name }) => name);
const audited = () => rawDatabase().prepare("SELECT action FROM audit_entries ORDER BY rowid").pluck().all();

it("moves several documents, skips those already there, and reports where the others were", async () => {
  const ids = [
    addDocument("a"),
    addDocument("b", { category: "Service" }),
    addDocument("c", { category: "Finance" }),
  ];
  const outcome = changeDocuments(test.actors.member, { action: "move", ids, category: "finance" });
  expect(outcome).toMatchObject({
    documents: 2,
    skipped: 1,
    before: [
      { category: "Uncategorized", ids: [ids[0]] },
      { category: "Service", ids: [ids[1]] },
    ],
  });
  expect(await namesIn("Finance")).toEqual(["c", "a", "b"]);
  expect(audited()).toEqual(["document.updated", "document.updated"]);
  undoMoves(
    test.actors.member,
    outcome.before.map(({ category, ids }) => [category, ...ids].join("\n")),
  );
  expect([await namesIn("Finance"), await namesIn("Service")]).toEqual([["c"], ["b"]]);
});

it("reads no members for each document", () => {
  const ids = ["a", "b", "c"].map((name) => addDocument(name));
  const prepared = vi.spyOn(rawDatabase(), "prepare");
  changeDocuments(test.actors.member, { action: "move", ids, category: "Finance" });
  changeDocuments(test.actors.member, { action: "delete", ids });
  restoreDocuments(test.actors.member, ids);
  const reads = prepared.mock.calls.filter(([sql]) => /from "(?:users|groups)"/.test(sql));
  prepared.mockRestore();
  expect(reads).toEqual([]);
});

it("deletes the documents the actor may delete, and restores them within ten minutes", async () => {
  let at = Date.now();
  setClock(() => at);
  const { member, viewer } = test.actors;
  const ids = [addDocument("a"), addDocument("b"), addDocument("hers", { createdBy: "usr_admin" })];
  const { documents, skipped, deletedAt = 0 } = changeDocuments(member, { action: "delete", ids });
  expect([documents, skipped, await namesIn("Uncategorized")]).toEqual([2, 1, ["hers"]]);
  expect(() => restoreDeletion(viewer, deletedAt)).toThrow();
  expect(restoreDeletion(member, deletedAt)).toEqual({ documents: 2, skipped: 0 });
  expect(await namesIn("Uncategorized")).toEqual(["a", "b", "hers"]);
  const again = changeDocuments(member, { action: "delete", ids });
  at += UNDO_TIME;
  expect(() => restoreDeletion(member, again.deletedAt ?? 0)).toThrow("can't be restored");
});

it("restores some documents of a deletion, and skips those that can't be restored", async () => {
  let at = Date.now();
  setClock(() => at);
  const { member, viewer } = test.actors;
  const [a = "", b = "", c = ""] = ["a", "b", "c"].map((name) => addDocument(name));
  changeDocuments(member, { action: "delete", ids: [a] });
  at += 1;
  changeDocuments(member, { action: "delete", ids: [b, c] });
  expect(() => restoreDocuments(viewer, [b])).toThrow("Only members");
  at += UNDO_TIME - 1;
  expect(restoreDocuments(member, [a, b, b])).toEqual({ documents: 1, skipped: 1 });
  expect(await namesIn("Uncategorized")).toEqual(["b"]);
  expect(audited().at(-1)).toBe("document.restored");
  expect(() => restoreDocuments(member, [a, b])).toThrow("can't be restored");
});

it("changes nothing if one document can't be changed, and checks permission", async () => {
  const { member, viewer } = test.actors;
  const id = addDocument("hers", { createdBy: "usr_admin" });
  expect(() => changeDocuments(member, { action: "delete", ids: [id] })).toThrow("can delete it");
  expect(() => changeDocuments(viewer, { action: "move", ids: [id], category: "Finance" })).toThrow();
  expect(() => changeDocuments(member, { action: "move", ids: [id], category: "Nowhere" })).toThrow();
  expect(() => changeDocuments(member, { action: "retry", ids: ["doc_none"] })).toThrow("no longer exist");
  expect(audited()).toEqual([]);
});

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
    const document = findDocumentRow(tx, id);
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
