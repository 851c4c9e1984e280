import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { AppError } from "~/core/errors";
import { listAudit } from "~/platform/audit/audit.service.server";
import { createGroup } from "~/team/members/groups.service.server";
import { users } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { addDocument } from "../../../tests/support/documents";
import { moveDocument, patchDocument, reorderDocuments } from "./document-changes.service.server";
import { DocumentPatch, RenameForm, ScheduleForm } from "./document-input.schema";
import { POSITION_GAP } from "./document-rows.repo.server";
import { getDocument, listDocuments } from "./documents.service.server";
import { retryDocument } from "./jobs/work.service.server";
import { deleteDocument, restoreDocument } from "./removal/document-removal.service.server";

const FAILED = { status: "failed", type: "url", source: "https://a.example/" } as const;
const START = Date.UTC(2026, 0, 1);

describe("changing documents", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let other: Actor;
  beforeEach(() => {
    test = openTestDatabase();
    setClock(() => START);
    const row = { id: "usr_other", orgId: ORG_ID, email: "o@example.org", createdAt: 1, updatedAt: 1 };
    transaction((tx) =>
      tx
        .insert(users)
        .values({ ...row, role: "member", status: "active" })
        .run(),
    );
    other = { kind: "user", userId: "usr_other", orgId: ORG_ID, role: "member" };
  });
  afterEach(() => {
    setClock();
    test.close();
  });

  const order = async (category = "Uncategorized", actor: Actor = test.actors.member) =>
    (await listDocuments(actor, { category, limit: 100 })).documents.map(({ name }) => name);
  const actions = () => listAudit(test.actors.owner, { limit: 10 }).entries.map(({ action }) => action);

  it("renames a document and appends it to another category", async () => {
    addDocument("Old", { category: "Finance", orderIndex: 7 });
    const id = addDocument("Draft");
    expect(patchDocument(other, id, { name: "Final", category: "finance" })).toMatchObject({
      name: "Final",
      metadata: { category: "Finance", orderIndex: 7 + POSITION_GAP },
    });
    expect(await order("Finance")).toEqual(["Old", "Final"]);
    expect(listAudit(test.actors.owner, { limit: 1 }).entries[0]).toMatchObject({
      action: "document.updated",
      details: { name: "Final", fields: ["name", "category"], category: "Finance" },
    });
  });

  it("writes no id, since SQLite would check all rows that refer to it", () => {
    const id = addDocument("Draft");
    rawDatabase().exec(`CREATE TEMP TRIGGER refused BEFORE UPDATE OF id, org_id ON documents
      BEGIN SELECT RAISE(ABORT, 'the id is written'); END`);
    expect(patchDocument(other, id, { name: "Final" }).name).toBe("Final");
  });

  it("hides a restricted document's details from admins, except that it changed", async () => {
    const id = addDocument("Secret plan", { visibility: "named" });
    const open = addDocument("Open plan");
    patchDocument(test.actors.member, id, { name: "Dark plan", category: "Finance" });
    patchDocument(test.actors.member, open, { name: "Hidden plan", visibility: "named" });
    moveDocument(test.actors.member, addDocument("Hidden too", { visibility: "named" }), { direction: "up" });
    retryDocument(test.actors.member, addDocument("Broken plan", { visibility: "named", ...FAILED }));
    deleteDocument(test.actors.member, id);
    restoreDocument(test.actors.member, id);
    const { entries } = listAudit(test.actors.admin, { limit: 20 });
    expect(JSON.stringify(entries)).not.toMatch(/plan|too|Finance|Uncategorized/i);
    expect(entries).toContainEqual(
      expect.objectContaining({ resource: `document:${id}`, details: { fields: ["name", "category"] } }),
    );
    expect(new Set(entries.map(({ action }) => action))).toEqual(
      new Set([
        "document.updated",
        "document.reordered",
        "document.retried",
        "document.deleted",
        "document.restored",
      ]),
    );
  });

  it("keeps the position when the category stays", async () => {
    const id = addDocument("Here", { orderIndex: 3 });
    expect(patchDocument(other, id, { category: "Uncategorized" }).metadata.orderIndex).toBe(3);
    patchDocument(other, id, {});
    expect(actions()).toHaveLength(1);
  });

  it("refuses blank or too long names and unknown categories", async () => {
    for (const name of ["  ", "n".repeat(201), "\u202e\n"]) {
      expect(DocumentPatch.safeParse({ name }).success).toBe(false);
    }
    const id = addDocument("Here");
    expect(() => patchDocument(other, id, { category: "Nowhere" })).toThrow(/Category .* not found/);
    expect(actions()).toEqual([]);
  });

  it("removes invisible characters from a name", () => {
    expect(DocumentPatch.parse({ name: "\u202eevil\u0000\n<script>" })).toEqual({ name: "evil <script>" });
    expect(RenameForm.parse({ name: "می\u200cخواهم" })).toEqual({ name: "می\u200cخواهم" });
  });

  it("lets only its creator and admins change its visibility", async () => {
    const id = addDocument("Plan");
    const named = { visibility: "named", readers: ["usr_viewer"] } as const;
    expect(() => patchDocument(other, id, { ...named, readers: [...named.readers] })).toThrow(
      "Only the person who added the document, or an admin, can do this.",
    );
    expect(() => patchDocument(test.actors.viewer, id, { name: "Mine" })).toThrow(
      /Only members, admins and owners can/,
    );
    patchDocument(test.actors.member, id, { visibility: "named", readers: ["usr_viewer", "usr_viewer"] });
    expect(getDocument(test.actors.viewer, id).visibility).toBe("named");
    expect(getDocument(test.actors.member, id).readers).toEqual([
      { id: "usr_viewer", name: "viewer", kind: "member" },
    ]);
    for (const actor of [other, test.actors.admin]) {
      expect(() => patchDocument(actor, id, { name: "Found" })).toThrow(/not found/);
    }
  });

  it("accepts only members and groups of the organisation", async () => {
    const id = addDocument("Plan");
    const crew = createGroup(test.actors.admin, { name: "Crew", members: ["usr_viewer"] });
    const readers = [crew.id, "usr_owner"];
    expect(patchDocument(test.actors.member, id, { visibility: "named", readers }).readers).toEqual([
      { id: crew.id, name: "Crew", kind: "group" },
      { id: "usr_owner", name: "owner", kind: "member" },
    ]);
    for (const role of ["viewer", "owner"] as const)
      expect(getDocument(test.actors[role], id).name).toBe("Plan");
    patchDocument(test.actors.member, id, { readers: [] });
    expect(() => getDocument(test.actors.viewer, id)).toThrow(/not found/);
    expect(() => patchDocument(test.actors.member, id, { readers: ["usr_nobody"] })).toThrow(
      /members and groups/,
    );
  });

  it("lets an admin hide a document from themselves, and returns the result", async () => {
    const id = addDocument("Plan");
    expect(patchDocument(test.actors.admin, id, { visibility: "named" }).visibility).toBe("named");
    expect(() => getDocument(test.actors.admin, id)).toThrow(/not found/);
  });

  it("schedules the next refresh", async () => {
    const id = addDocument("Page", { type: "url", source: "https://example.org" });
    expect(patchDocument(test.actors.member, id, { refreshEvery: HOUR })).toMatchObject({
      refreshEvery: HOUR,
      refreshAt: new Date(START + HOUR).toISOString(),
    });
    expect(patchDocument(test.actors.member, id, { refreshEvery: null }).refreshAt).toBeNull();
    const text = addDocument("Text");
    expect(() => patchDocument(test.actors.member, text, { refreshEvery: HOUR })).toThrow(/from a URL/);
  });

  it.each([-1, 1, 0.5, HOUR - 1, 367 * 24 * HOUR, 1e300, Number.NaN])(
    "refuses a refresh interval of %d ms in the form, the API and the service",
    (every) => {
      const id = addDocument("Page", { type: "url", source: "https://example.org" });
      expect(ScheduleForm.safeParse({ refreshEvery: String(every) }).success).toBe(false);
      expect(DocumentPatch.safeParse({ refreshEvery: every }).success).toBe(false);
      expect(() => patchDocument(test.actors.member, id, { refreshEvery: every })).toThrow(AppError);
      expect(getDocument(test.actors.member, id).refreshEvery).toBeNull();
    },
  );

  it('parses "never" and intervals from a form', () => {
    expect(ScheduleForm.parse({ refreshEvery: "0" })).toEqual({ refreshEvery: null });
    expect(ScheduleForm.parse({ refreshEvery: String(HOUR) })).toEqual({ refreshEvery: HOUR });
  });

  describe("their order", () => {
    let ids: Record<string, string>;
    beforeEach(() => {
      ids = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, addDocument(name)]));
    });
    const put = (names: string, after?: string, actor: Actor = test.actors.member) =>
      reorderDocuments(actor, {
        category: "Uncategorized",
        order: [...names].map((name) => ids[name] ?? name),
        ...(after ? { after: ids[after] } : {}),
      });

    it("puts the listed documents first", async () => {
      put("ca");
      expect(await order()).toEqual(["c", "a", "b", "d"]);
      put("dcba");
      expect(await order()).toEqual(["d", "c", "b", "a"]);
      const listed = (await listDocuments(test.actors.viewer, { limit: 10 })).documents;
      const indexes = listed.map(({ metadata }) => metadata.orderIndex);
      expect(indexes).toEqual([...new Set(indexes)].sort((a, b) => a - b));
      expect(Math.min(...indexes)).toBeGreaterThanOrEqual(0);
    });

    it("inserts them after a given document", async () => {
      put("da", "b");
      expect(await order()).toEqual(["b", "d", "a", "c"]);
    });

    it("refuses documents of other categories, invisible ones and duplicates", async () => {
      ids.x = addDocument("x", { category: "Finance" });
      ids.y = addDocument("y", { visibility: "named", createdBy: "usr_owner" });
      for (const wrong of ["ax", "ay", "az"]) expect(() => put(wrong)).toThrow(/has changed since/);
      expect(() => put("aa")).toThrow(/each document only once/);
      expect(() => put("a", "x")).toThrow(/has changed since/);
      expect(() => put("ab", "a")).toThrow(/each document only once/);
      expect(await order()).toEqual(["a", "b", "c", "d"]);
      expect(() => put("a", undefined, test.actors.viewer)).toThrow(/Only members, admins and owners can/);
      expect(actions()).toEqual([]);
    });

    it("moves only the listed documents while there is room", async () => {
      const names = [..."abcdefgh"];
      const order = () =>
        rawDatabase()
          .prepare("SELECT name, order_index FROM documents WHERE order_index >= 100 ORDER BY order_index")
          .raw()
          .all()
          .flat()
          .join(" ");
      for (const [n, name] of names.entries()) ids[name] = addDocument(name, { orderIndex: 100 + 10 * n });
      moveDocument(test.actors.member, ids.c ?? "", { direction: "up" });
      expect(order()).toBe("a 100 c 120 b 125 d 130 e 140 f 150 g 160 h 170");
      put("gf", "d");
      expect(order()).toBe("a 100 c 120 b 125 d 130 g 133 f 136 e 140 h 170");
      put("c", "h");
      expect(order()).toBe(`a 100 b 125 d 130 g 133 f 136 e 140 h 170 c ${170 + POSITION_GAP}`);
    });

    it("keeps the order for any move, and updates few positions", async () => {
      const many = Array.from({ length: 500 }, (_, n) => `n${n}`);
      const raw = rawDatabase();
      raw.exec("DELETE FROM documents");
      for (const [n, name] of many.entries()) ids[name] = addDocument(name, { orderIndex: n * 64 });
      raw.exec(`CREATE TABLE written (n); CREATE TRIGGER note AFTER UPDATE OF order_index ON documents
        BEGIN INSERT INTO written VALUES (1); END`);
      const expected = [...many];
      let seed = 7;
      const any = (below: number) => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed % below;
      };
      for (let n = 0; n < 200; n++) {
        // Mostly the same positions, to use up their gaps.
        const [name = ""] = expected.splice(any(expected.length), 1);
        const at = n % 3 === 0 ? any(expected.length + 1) : n % 3;
        const after = expected[at - 1];
        expected.splice(at, 0, name);
        raw.exec("DELETE FROM written");
        reorderDocuments(test.actors.member, {
          category: "Uncategorized",
          order: [ids[name] ?? ""],
          ...(after ? { after: ids[after] } : {}),
        });
        expect(raw.prepare("SELECT count(*) FROM written").pluck().get()).toBeLessThan(150);
      }
      const ordered = raw.prepare("SELECT name FROM documents ORDER BY order_index").pluck().all();
      expect(ordered).toEqual(expected);
    });

    it("moves a document past its neighbour and past invisible ones", async () => {
      const move = (name: string, direction: "up" | "down") =>
        moveDocument(test.actors.member, ids[name] ?? "", { direction });
      move("a", "down");
      expect(await order()).toEqual(["b", "a", "c", "d"]);
      addDocument("hidden", { visibility: "named", createdBy: "usr_owner", orderIndex: 1, createdAt: 1 });
      move("c", "up");
      expect(await order()).toEqual(["b", "c", "a", "d"]);
      move("b", "up");
      move("d", "down");
      expect(await order()).toEqual(["b", "c", "a", "d"]);
      expect(actions()).toHaveLength(2);
    });
  });
});
