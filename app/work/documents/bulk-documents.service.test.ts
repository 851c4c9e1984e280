import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { rawDatabase } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { addDocument } from "../../../tests/support/documents";
import {
  changeDocuments,
  restoreDeletion,
  restoreDocuments,
  undoMoves,
} from "./bulk-documents.service.server";
import { listDocuments } from "./documents.service.server";
import { UNDO_TIME } from "./removal/deletion";

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
