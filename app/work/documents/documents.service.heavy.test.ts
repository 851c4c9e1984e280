import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { registerActorNames } from "~/team/members/member-names.service.server";
import { findDocuments } from "~/work/index/indexed-documents.repo.server";
import { documentReaders, organisations } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { addDocument, addVersion } from "../../../tests/support/documents";
import { collectStatements, planOf } from "../../../tests/support/plans";
import { countQueries, positionQueries } from "./documents.repo.server";
import { collectionStats, getDocument, groupDocuments, listDocuments } from "./documents.service.server";
import { addJob, ingestJob } from "./jobs/document-jobs.server";

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

  const list = async (more: object = {}, actor: Actor = test.actors.viewer) =>
    (await listDocuments(actor, { limit: 100, ...more })).documents.map(({ name }) => name);

  it("are sorted by category, position and creation date", async () => {
    addDocument("d", { category: "Finance" });
    addDocument("b", { orderIndex: 1 });
    addDocument("c", { category: "Products" });
    addDocument("a2");
    addDocument("a3");
    expect(await list()).toEqual(["a2", "a3", "b", "c", "d"]);
  });

  it("are paged across categories without duplicates", async () => {
    for (let n = 0; n < 25; n++) {
      addDocument(`n${n}`, { category: ["Finance", "Products", "Service"][n % 3] ?? "", orderIndex: n % 2 });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listDocuments(test.actors.viewer, { limit: 4, cursor });
      expect(page.documents.length).toBeLessThanOrEqual(4);
      seen.push(...page.documents.map(({ name }) => name));
      cursor = page.next;
    } while (cursor);
    expect(seen).toEqual(await list());
    expect(new Set(seen).size).toBe(25);
  });

  it.each(["x", "0.0", "..", "0.0.1", "-1.0.1.doc", "zz.zz.zz."])("refuse the cursor %s", async (cursor) => {
    await expect(listDocuments(test.actors.viewer, { limit: 4, cursor })).rejects.toThrow(/cursor/);
  });

  it("are filtered by category, status and literal part of the name or source", async () => {
    addDocument("Budget 100%", { category: "Finance" });
    addDocument("Budget 1000", { category: "Products", status: "failed" });
    addDocument("Page", { source: "https://example.org/budget", type: "url", status: "processing" });
    expect(await list({ category: "finance" })).toEqual(["Budget 100%"]);
    expect(await list({ status: "failed" })).toEqual(["Budget 1000"]);
    expect(await list({ search: "100%" })).toEqual(["Budget 100%"]);
    expect(await list({ search: "BUDGET" })).toEqual(["Page", "Budget 1000", "Budget 100%"]);
    await expect(list({ category: "Nowhere" })).rejects.toThrow(/Category .* not found/);
  });

  it("say that a workflow's tool added them, or a member who left", () => {
    const authorOf = (createdBy: string) =>
      getDocument(test.actors.viewer, addDocument(createdBy, { createdBy })).createdBy.name;
    expect(["workflow:wf_1", "usr_gone"].map(authorOf)).toEqual(["Workflow", "Removed member"]);
    const forget = registerActorNames(() => ({ "workflow:wfl_1": "Digest" }));
    expect(authorOf("workflow:wfl_1")).toBe("Workflow Digest");
    forget();
  });

  it("are visible to everyone, or only to their creator and chosen members", async () => {
    const id = addDocument("Secret", { visibility: "named" });
    transaction((tx) => tx.insert(documentReaders).values({ documentId: id, userId: "usr_viewer" }).run());
    addDocument("Gone", { deletedAt: 5 });
    const { viewer, member, admin, owner } = test.actors;
    expect(await list({}, viewer)).toEqual(["Secret"]);
    expect(await list({}, member)).toEqual(["Secret"]);
    for (const actor of [admin, owner]) {
      expect(await list({}, actor)).toEqual([]);
      expect(() => getDocument(actor, id)).toThrow(/not found/);
      expect((await collectionStats(actor)).total).toBe(0);
      const groups = await groupDocuments(actor, { limit: 5 });
      expect(groups.every((group) => group.documents.length === 0)).toBe(true);
    }
  });

  it("are invisible to other organisations", async () => {
    const id = addDocument("Ours");
    transaction((tx) =>
      tx.insert(organisations).values({ id: "org_other", name: "Other", createdAt: 1 }).run(),
    );
    const stranger: Actor = { ...test.actors.owner, orgId: "org_other" };
    expect(await list({}, stranger)).toEqual([]);
    expect(() => getDocument(stranger, id)).toThrow(/not found/);
  });

  it("are grouped with counts, each group with its own pages", async () => {
    for (let n = 0; n < 5; n++) addDocument(`f${n}`, { category: "Finance", orderIndex: n });
    addDocument("u");
    const groups = await groupDocuments(test.actors.viewer, { limit: 2 });
    expect(groups).toHaveLength(8);
    const finance = groups.find(({ category }) => category.name === "Finance");
    expect(finance).toMatchObject({
      category: { documents: 5 },
      documents: [{ name: "f0" }, { name: "f1" }],
    });
    const [next] = await groupDocuments(test.actors.viewer, {
      limit: 3,
      category: "Finance",
      cursor: finance?.next,
    });
    expect(next?.documents.map(({ name }) => name)).toEqual(["f2", "f3", "f4"]);
    expect(next?.next).toBeUndefined();
  });

  it.each([
    ["name", ["Alpha", "beta", "delta", "gamma"]],
    ["newest", ["delta", "beta", "Alpha", "gamma"]],
    ["changed", ["gamma", "delta", "beta", "Alpha"]],
  ] as const)("are sorted by %s within their group, over its pages", async (sort, names) => {
    for (const name of ["gamma", "Alpha", "beta", "delta"]) addDocument(name, { category: "Finance" });
    addDocument("first", { category: "Products" });
    rawDatabase().exec("UPDATE documents SET updated_at = updated_at + 1000 WHERE name = 'gamma'");
    const shown: string[] = [];
    let cursor: string | undefined;
    do {
      const [page] = await groupDocuments(test.actors.viewer, {
        limit: 3,
        category: "Finance",
        sort,
        cursor,
      });
      shown.push(...(page?.documents ?? []).map(({ name }) => name));
      cursor = page?.next;
    } while (cursor);
    expect(shown).toEqual(names);
    const groups = await groupDocuments(test.actors.viewer, { limit: 1, sort });
    const products = groups.find(({ category }) => category.name === "Products");
    expect(products?.documents.map(({ name }) => name)).toEqual(["first"]);
  });

  it("sum up to the collection's stats", async () => {
    addDocument("a", { chunkCount: 3 });
    addDocument("b", { chunkCount: 4 });
    addDocument("c", { status: "failed" });
    addDocument("d", { status: "processing" });
    expect(await collectionStats(test.actors.viewer)).toEqual({
      total: 4,
      ready: 2,
      processing: 1,
      failed: 1,
      retryable: 0,
      chunks: 7,
    });
  });

  it("are counted by visibility from a covering index", async () => {
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
    const totals: number[] = [];
    for (const actor of Object.values(test.actors)) {
      const seen = (await listDocuments(actor, { limit: 100 })).documents;
      const { total, chunks } = await collectionStats(actor);
      expect({ total, chunks }).toEqual({
        total: seen.length,
        chunks: seen.reduce((sum, document) => sum + document.chunks, 0),
      });
      totals.push(total);
    }
    expect(new Set(totals).size).toBeGreaterThan(2);
    for (const status of [undefined, "failed"] as const) {
      for (const { sql, params } of countQueries(db(), test.actors.viewer, { status }))
        expect(planOf(sql, params)).toContain("USING COVERING INDEX documents_counts");
    }
  });

  it("are listed from an index, so that a page's cost is constant", () => {
    const after = { orderIndex: 1, createdAt: 1, id: "doc" };
    for (const position of [undefined, after]) {
      const [query] = positionQueries(db(), test.actors.viewer, { status: "failed" }, ["cat"], 20, {
        after: position,
      });
      const plan = planOf(query?.sql ?? "", query?.params ?? []);
      expect(plan).toContain("USING INDEX documents_org (org_id=? AND category_id=?");
      // Except for equal positions.
      expect(plan).not.toMatch(/TEMP B-TREE FOR ORDER BY/);
    }
  });

  it("are read by id, without scanning the organisation", () => {
    const collected = collectStatements();
    findDocuments(db(), test.actors.viewer, ["a", "b", "c"]);
    const plan = planOf(collected().at(-1) ?? "");
    expect(plan).toContain("SEARCH documents USING INDEX sqlite_autoindex_documents_1 (id=?)");
    expect(plan).not.toMatch(/documents_(counts|org)/);
  });

  it("report the progress of their job", async () => {
    const id = addDocument("Busy", { status: "processing" });
    transaction((tx) => addJob(tx, test.actors.member, ingestJob, { documentId: id }));
    rawDatabase()
      .prepare("UPDATE jobs SET state = 'running', progress = ?")
      .run(JSON.stringify({ step: "embedding", done: 3, total: 9 }));
    expect((await listDocuments(test.actors.viewer, { limit: 5 })).documents[0]?.progress).toEqual({
      state: "running",
      step: "embedding",
      done: 3,
      total: 9,
    });
  });

  it("include the version, and permissions only for people who can change them", async () => {
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
