import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { MINUTE } from "~/core/durations";
import { listAudit } from "~/platform/audit/audit.service.server";
import { documentReaders } from "~db/schema";
import { openTestDatabase } from "../../../../tests/support/database";
import { addDocument } from "../../../../tests/support/documents";
import { getDocument, listDocuments } from "../documents.service.server";
import { deleteDocument, findDeleted, listDeleted, restoreDocument } from "./document-removal.service.server";

describe("deleting a document", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let time: number;
  beforeEach(() => {
    test = openTestDatabase();
    time = Date.UTC(2026, 0, 1);
    setClock(() => time);
  });
  afterEach(() => {
    setClock();
    test.close();
  });

  it("removes it from every list; restoring returns it to its position", async () => {
    const id = addDocument("Plan", { category: "Finance", orderIndex: 3 });
    expect(deleteDocument(test.actors.member, id)).toEqual({ id, name: "Plan" });
    expect(() => getDocument(test.actors.member, id)).toThrow(/not found/);
    expect((await listDocuments(test.actors.member, { limit: 5 })).documents).toEqual([]);
    expect(() => deleteDocument(test.actors.member, id)).toThrow(/not found/);
    time += 10 * MINUTE - 1;
    expect(restoreDocument(test.actors.member, id)).toMatchObject({
      name: "Plan",
      metadata: { category: "Finance", orderIndex: 3 },
    });
    const { entries } = listAudit(test.actors.owner, { limit: 5 });
    expect(entries.map(({ action }) => action)).toEqual(["document.restored", "document.deleted"]);
  });

  it("is final after ten minutes", async () => {
    const id = addDocument("Plan");
    deleteDocument(test.actors.member, id);
    time += 10 * MINUTE;
    expect(() => restoreDocument(test.actors.member, id)).toThrow(/more than ten minutes ago/);
    expect(findDeleted(test.actors.member, id)).toMatchObject({ name: "Plan", mayRestore: false });
  });

  it("is allowed for its creator and admins", async () => {
    const id = addDocument("Plan", { createdBy: "usr_owner" });
    expect(() => deleteDocument(test.actors.member, id)).toThrow(/Only the person who added/);
    expect(() => deleteDocument(test.actors.viewer, id)).toThrow(/Only members, admins and owners can/);
    deleteDocument(test.actors.admin, id);
    expect(() => restoreDocument(test.actors.member, id)).toThrow(/Only the person who added/);
    expect(findDeleted(test.actors.member, id)).toMatchObject({ mayRestore: false });
    expect(findDeleted(test.actors.admin, id)).toMatchObject({ mayRestore: true });
    restoreDocument(test.actors.admin, id);
  });

  it("is listed, newest first, for those who may restore it, as long as they may", () => {
    const { owner, admin, member, viewer } = test.actors;
    const namesFor = (actor: typeof member) =>
      listDeleted(actor, { limit: 10 }).documents.map((one) => one.name);
    const delay = (minutes: number) => {
      time += minutes * MINUTE;
    };
    deleteDocument(member, addDocument("Member's"));
    delay(1);
    deleteDocument(admin, addDocument("Owner's", { createdBy: "usr_owner" }));
    delay(1);
    const shared = addDocument("Shared", { visibility: "named" });
    transaction((tx) =>
      tx
        .insert(documentReaders)
        .values(["usr_admin", "usr_viewer"].map((userId) => ({ documentId: shared, userId })))
        .run(),
    );
    deleteDocument(member, shared);
    addDocument("Kept");
    expect(namesFor(member)).toEqual(["Shared", "Member's"]);
    expect(namesFor(admin)).toEqual(["Shared", "Owner's", "Member's"]);
    expect(namesFor(owner)).toEqual(["Owner's", "Member's"]);
    expect(namesFor({ ...admin, orgId: "org_other" })).toEqual([]);
    expect(() => namesFor(viewer)).toThrow(/Only members, admins and owners can/);
    expect(listDeleted(member, { limit: 1 }).documents).toEqual([
      {
        id: shared,
        name: "Shared",
        deletedAt: "2026-01-01T00:02:00.000Z",
        restorableUntil: "2026-01-01T00:12:00.000Z",
      },
    ]);
    restoreDocument(admin, shared);
    delay(8);
    expect(namesFor(admin)).toEqual(["Owner's"]);
  });

  it("is listed page by page", () => {
    const ids = ["a", "b", "c", "d", "e"].map((name) => addDocument(name));
    // Two deletions, each of several documents.
    for (const [n, id] of ids.entries()) deleteDocument(test.actors.member, id, time + (n < 3 ? 0 : 1));
    const listed: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = listDeleted(test.actors.member, { limit: 2, cursor });
      listed.push(...page.documents.map(({ name }) => name));
      cursor = page.next;
      if (!cursor) break;
    }
    expect(listed).toEqual(["e", "d", "c", "b", "a"]);
  });

  it("reveals nothing to users who couldn't view it", async () => {
    const id = addDocument("Secret", { visibility: "named" });
    transaction((tx) => tx.insert(documentReaders).values({ documentId: id, userId: "usr_viewer" }).run());
    deleteDocument(test.actors.member, id);
    expect(findDeleted(test.actors.owner, id)).toBeUndefined();
    expect(() => restoreDocument(test.actors.owner, id)).toThrow(/not found/);
    expect(findDeleted(test.actors.viewer, id)).toMatchObject({ name: "Secret", mayRestore: false });
    expect(findDeleted({ ...test.actors.member, orgId: "org_other" }, id)).toBeUndefined();
    expect(findDeleted(test.actors.member, "doc_none")).toBeUndefined();
  });
});
