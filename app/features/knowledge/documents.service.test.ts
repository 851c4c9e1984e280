import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { documentReaders, ingestJobs, organisations } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { addDocument, addVersion } from "../../../tests/support/documents";
import { collectionStats, getDocument, groupDocuments, listDocuments } from "./documents.service.server";

describe("the documents", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    let time = Date.UTC(2026, 0, 1);
    setClock(() => time++);
  });
  afterEach(() => {
    setClock();
    test.close();
  });

  const list = (more: object = {}, actor: Actor = test.actors.viewer) =>
    listDocuments(actor, { limit: 100, ...more }).documents.map(({ name }) => name);

  it("stand by category, then by their place in it, then by their creation", () => {
    addDocument("d", { category: "Finance" });
    addDocument("b", { orderIndex: 1 });
    addDocument("c", { category: "Products" });
    addDocument("a2");
    addDocument("a3");
    expect(list()).toEqual(["a2", "a3", "b", "c", "d"]);
  });

  it("come in pages across the categories, each once", () => {
    for (let n = 0; n < 25; n++) {
      addDocument(`n${n}`, { category: ["Finance", "Products", "Service"][n % 3] ?? "", orderIndex: n % 2 });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = listDocuments(test.actors.viewer, { limit: 4, cursor });
      expect(page.documents.length).toBeLessThanOrEqual(4);
      seen.push(...page.documents.map(({ name }) => name));
      cursor = page.next;
    } while (cursor);
    expect(seen).toEqual(list());
    expect(new Set(seen).size).toBe(25);
  });

  it.each(["x", "0.0", "..", "0.0.1", "-1.0.1.doc", "zz.zz.zz."])("refuse the cursor %s", (cursor) => {
    expect(() => listDocuments(test.actors.viewer, { limit: 4, cursor })).toThrow(/cursor/);
  });

  it("are found by category, status and part of the name or source, taken literally", () => {
    addDocument("Budget 100%", { category: "Finance" });
    addDocument("Budget 1000", { category: "Products", status: "failed" });
    addDocument("Page", { source: "https://example.org/budget", type: "url", status: "processing" });
    expect(list({ category: "finance" })).toEqual(["Budget 100%"]);
    expect(list({ status: "failed" })).toEqual(["Budget 1000"]);
    expect(list({ search: "100%" })).toEqual(["Budget 100%"]);
    expect(list({ search: "BUDGET" })).toEqual(["Page", "Budget 1000", "Budget 100%"]);
    expect(() => list({ category: "Nowhere" })).toThrow(/no category/);
  });

  it("are seen by everyone, or by their creator and the members named, and by no other", () => {
    const id = addDocument("Secret", { visibility: "named" });
    transaction((tx) => tx.insert(documentReaders).values({ documentId: id, userId: "usr_viewer" }).run());
    addDocument("Gone", { deletedAt: 5 });
    const { viewer, member, admin, owner } = test.actors;
    expect(list({}, viewer)).toEqual(["Secret"]);
    expect(list({}, member)).toEqual(["Secret"]);
    for (const actor of [admin, owner]) {
      expect(list({}, actor)).toEqual([]);
      expect(() => getDocument(actor, id)).toThrow(/no such document/);
      expect(collectionStats(actor).total).toBe(0);
      expect(groupDocuments(actor, { limit: 5 }).every((group) => group.documents.length === 0)).toBe(true);
    }
  });

  it("are another organisation's secret", () => {
    const id = addDocument("Ours");
    transaction((tx) =>
      tx.insert(organisations).values({ id: "org_other", name: "Other", createdAt: 1 }).run(),
    );
    const stranger: Actor = { ...test.actors.owner, orgId: "org_other" };
    expect(list({}, stranger)).toEqual([]);
    expect(() => getDocument(stranger, id)).toThrow(/no such document/);
  });

  it("stand in groups with counts, each with its own pages", () => {
    for (let n = 0; n < 5; n++) addDocument(`f${n}`, { category: "Finance", orderIndex: n });
    addDocument("u");
    const groups = groupDocuments(test.actors.viewer, { limit: 2 });
    expect(groups).toHaveLength(8);
    const finance = groups.find(({ category }) => category.name === "Finance");
    expect(finance).toMatchObject({
      category: { documents: 5 },
      documents: [{ name: "f0" }, { name: "f1" }],
    });
    const [next] = groupDocuments(test.actors.viewer, {
      limit: 3,
      category: "Finance",
      cursor: finance?.next,
    });
    expect(next?.documents.map(({ name }) => name)).toEqual(["f2", "f3", "f4"]);
    expect(next?.next).toBeUndefined();
  });

  it("sum up to the collection's stats", () => {
    addDocument("a", { chunkCount: 3 });
    addDocument("b", { chunkCount: 4 });
    addDocument("c", { status: "failed" });
    addDocument("d", { status: "processing" });
    expect(collectionStats(test.actors.viewer)).toEqual({
      total: 4,
      ready: 2,
      processing: 1,
      failed: 1,
      chunks: 7,
    });
  });

  it("are counted by the rule of who sees them, from an index alone", () => {
    const of = { visibility: "named", chunkCount: 2 } as const;
    addDocument("open", { chunkCount: 1 });
    addDocument("gone", { deletedAt: 1 });
    addDocument("own", of);
    addDocument("own, gone", { ...of, deletedAt: 1 });
    for (const [name, readers] of [
      ["both", ["usr_admin", "usr_viewer"]],
      ["also its creator's", ["usr_member", "usr_viewer"]],
      ["not any more", []],
    ] as const) {
      const documentId = addDocument(name, {
        ...of,
        createdBy: name === "both" ? "usr_owner" : "usr_member",
      });
      transaction((tx) => {
        for (const userId of readers) tx.insert(documentReaders).values({ documentId, userId }).run();
      });
    }
    const totals = Object.values(test.actors).map((actor) => {
      const seen = listDocuments(actor, { limit: 100 }).documents;
      const { total, chunks } = collectionStats(actor);
      expect({ total, chunks }).toEqual({
        total: seen.length,
        chunks: seen.reduce((sum, document) => sum + document.chunks, 0),
      });
      return total;
    });
    expect(new Set(totals).size).toBeGreaterThan(2);
    const plan = rawDatabase()
      .prepare(
        `EXPLAIN QUERY PLAN SELECT status, count(*), sum(chunk_count) FROM documents
         WHERE org_id = 'o' AND deleted_at IS NULL AND visibility = 'organisation' GROUP BY status`,
      )
      .all() as { detail: string }[];
    expect(plan.map(({ detail }) => detail).join()).toContain("COVERING INDEX documents_counts");
  });

  it("tell how far their job is", () => {
    const id = addDocument("Busy", { status: "processing" });
    const job = { id: "job_1", orgId: ORG_ID, userId: "usr_member", documentId: id, runAt: 1, createdAt: 1 };
    transaction((tx) =>
      tx
        .insert(ingestJobs)
        .values({ ...job, kind: "ingest", state: "running", step: "embedding", done: 3, total: 9 })
        .run(),
    );
    expect(listDocuments(test.actors.viewer, { limit: 5 }).documents[0]?.progress).toEqual({
      state: "running",
      step: "embedding",
      done: 3,
      total: 9,
    });
  });

  it("show what their version is, and who decides about them to those who do", () => {
    const id = addDocument("Report", { type: "file", source: "report.pdf" });
    addVersion(id, {
      parts: [Buffer.from("%PDF")],
      facts: { format: "PDF", pages: 12, author: 5 },
      fileName: "report.pdf",
    });
    expect(getDocument(test.actors.member, id)).toMatchObject({
      name: "Report",
      createdBy: { id: "usr_member", name: "member" },
      readers: [],
      mayManage: true,
      version: { number: 1, size: 4, facts: { format: "PDF", pages: 12 } },
    });
    expect(getDocument(test.actors.admin, id).mayManage).toBe(true);
    expect(getDocument(test.actors.viewer, id)).toMatchObject({ mayManage: false, readers: null });
  });
});
