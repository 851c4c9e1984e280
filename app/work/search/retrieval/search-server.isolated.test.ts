import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { db, rawDatabase } from "~/core/db.server";
import { allowOperatorOrigin, installEgressGuard } from "~/core/egress/index.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { embedLexically, LEXICAL_DIMENSIONS } from "~/work/index/embedding/lexical-embedder";
import { listIndexes, listRestrictedDocuments } from "~/work/index/indexes.repo.server";
import { qdrantStore } from "~/work/index/stores/qdrant.store.server";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { collectStatements, planOf } from "../../../../tests/support/plans";
import { openQdrantFake, type QdrantFake } from "../../../../tests/support/qdrant";
import { makeCollection } from "../../../../tests/support/search-collection";
import { searchIndex } from "./search-index.server";

const QUERY = "merger price talks";
/** Two processes answer 48 searches in a few seconds, on a busy machine in half a minute. */
const MANY_SEARCHES = { timeout: 120_000 };
const WEAK = "The price of paper rises";

describe("a search with a store that is a server of its own", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let qdrant: QdrantFake;
  beforeEach(async () => {
    qdrant = await openQdrantFake();
    test = openTestDatabase({ QDRANT_URL: qdrant.origin });
    installEgressGuard();
    allowOperatorOrigin(qdrant.origin);
  });
  afterEach(async () => {
    test.close();
    await qdrant.close();
  });
  afterAll(closeWorkerPools);

  /** Three active documents behind outdated points. */
  async function fillStore(stale: number) {
    const collection = makeCollection();
    rawDatabase().exec("UPDATE search_indexes SET store = 'qdrant'");
    const stored = {
      id: collection.index.id,
      orgId: ORG_ID,
      dimensions: LEXICAL_DIMENSIONS,
      createdAt: 0,
    };
    const added = [1, 2, 3].map((n) =>
      collection.add({ name: `Note ${n}`, chunks: [`${WEAK}, number ${n}.`] }),
    );
    await qdrantStore.create(stored);
    const point = (id: number, text: string, documentId: string) => ({
      id,
      vector: embedLexically(text),
      documentId,
      hash: "",
      open: true,
    });
    const old = Array.from({ length: stale }, (_, n) => point(10_000 + n, QUERY, "doc_gone"));
    const live = added.map(({ documentId, chunkIds }) => point(chunkIds[0] ?? 0, WEAK, documentId));
    await qdrantStore.put(stored, [...old, ...live]);
    const index = listIndexes(db(), ORG_ID)[0];
    if (!index) throw new Error("No index.");
    return index;
  }
  const queries = () =>
    qdrant.requests
      .filter(({ url }) => url?.includes("/points/query"))
      .map(({ body }) => JSON.parse(body) as { limit: number; filter: object });

  it("requests more while hits are no longer searchable", async () => {
    const index = await fillStore(300);
    const answer = await searchIndex(index, test.actors.viewer, { query: QUERY, topK: 3, mode: "vectors" });
    expect(answer).toMatchObject({ store: "qdrant", notice: null });
    expect(answer.passages).toHaveLength(3);
    expect(queries().map(({ limit }) => limit)).toEqual([50, 200, 800]);
  });

  it("requests once if there are enough hits or no more", async () => {
    const index = await fillStore(0);
    await searchIndex(index, test.actors.viewer, { query: QUERY, topK: 5, mode: "vectors" });
    expect(queries()).toHaveLength(1);
  });

  /** Puts every vector of the file's index into the server. */
  async function moveToServer(id: number) {
    const stored = { id, orgId: ORG_ID, dimensions: LEXICAL_DIMENSIONS, createdAt: 0 };
    const rows = rawDatabase()
      .prepare(
        `SELECT c.id, c.document_id AS documentId, c.hash, m.vector FROM index_entries e
         JOIN chunks c ON c.id = e.chunk_id JOIN embeddings m ON m.hash = c.hash`,
      )
      .all() as { id: number; documentId: string; hash: string; vector: Buffer }[];
    const points = rows.map(({ vector, ...row }) => ({
      ...row,
      vector: new Float32Array(new Uint8Array(vector).buffer),
      open: true,
    }));
    await qdrantStore.create(stored);
    await qdrantStore.put(stored, points);
    rawDatabase().exec("UPDATE search_indexes SET store = 'qdrant'");
    return points.length;
  }

  it("finds what the file's search finds, for words and for typing errors", MANY_SEARCHES, async () => {
    const collection = makeCollection();
    // Vectors of the built-in embedder count for English.
    const texts = readFileSync("docs/operating.md", "utf8")
      .split("\n\n")
      .filter((text) => text.length > 200);
    for (const text of texts) collection.add({ name: "", chunks: [text] });
    const words = Array.from({ length: 12 }, (_, at) => {
      const all = texts[at * 3]?.match(/[a-z]{4,}/g) ?? [];
      return all.slice(all.length / 2, all.length / 2 + 5).join(" ");
    });
    const swap = (word: string) => word.replace(/^(\S{2})(\S)(\S)/u, "$1$3$2");
    const misspelt = words.map((text) => text.split(" ").map(swap).join(" "));
    const find = async (query: string) => {
      const index = listIndexes(db(), ORG_ID)[0];
      if (!index) throw new Error("No index.");
      const answer = await searchIndex(index, test.actors.viewer, { query, topK: 10, mode: "hybrid" });
      expect(answer.notice).toBeNull();
      return answer.passages.map(({ text, vector }) => ({ text, hasVector: vector !== null }));
    };
    const findAll = (queries: string[]) => Promise.all(queries.map(find));
    const inFile = [await findAll(words), await findAll(misspelt)];
    expect(await moveToServer(collection.index.id)).toBeGreaterThan(40);
    const inServer = [await findAll(words), await findAll(misspelt)];
    expect(queries().length).toBeGreaterThanOrEqual(2 * words.length);
    const shares = inFile.map((answers, kind) => {
      const wanted = answers.map((passages) => passages.map(({ text }) => text));
      const found = inServer[kind]?.map((passages) => passages.map(({ text }) => text)) ?? [];
      const same = wanted.flatMap((texts, at) => texts.filter((text) => found[at]?.includes(text)));
      return same.length / wanted.flat().length;
    });
    expect(inServer.flat(2).filter(({ hasVector }) => hasVector).length).toBeGreaterThan(40);
    expect(Math.min(...shares), `shares for words and typing errors: ${shares}`).toBeGreaterThanOrEqual(0.95);
  });

  it("sends the ids of a filter's documents if they are few, and always applies the filter", async () => {
    const index = await fillStore(100);
    const ask = async () => {
      const search = { query: QUERY, topK: 3, mode: "vectors", filters: { type: "text" } } as const;
      const { passages } = await searchIndex(index, test.actors.viewer, search);
      return passages.length;
    };
    expect(await ask()).toBe(3);
    expect(JSON.stringify(queries()[0]?.filter)).toContain("doc_");
    rawDatabase().exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
      INSERT INTO documents (id, org_id, name, type, source, category_id, status, created_by, created_at, updated_at)
        SELECT 'doc_many_' || i, org_id, 'Many', 'text', '', category_id, 'ready', 'usr_member', 1, 1
        FROM n, (SELECT * FROM documents LIMIT 1);
      UPDATE documents SET type = 'url' WHERE name = 'Note 1'`);
    expect(await ask()).toBe(2);
    expect(JSON.stringify(queries().at(-1)?.filter)).not.toContain("doc_");
  });

  it("compares every vector where a filter leaves few candidates, however large the index is", async () => {
    const index = await fillStore(0);
    const wide = { ...index, searchEf: 512 };
    const ask = async (filters: { type?: "text" }) => {
      await searchIndex(wide, test.actors.viewer, { query: QUERY, topK: 3, mode: "vectors", filters });
      return (queries().at(-1) as unknown as { params: object }).params;
    };
    expect(await ask({})).toEqual({ hnsw_ef: 512 });
    expect(await ask({ type: "text" })).toEqual({ exact: true });
    rawDatabase().exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO chunks (chunk_set_id, document_id, version_id, position, text, headings, start, "end", tokens, hash)
        SELECT chunk_set_id, document_id, version_id, 1000 + i, '', '[]', 0, 0, 1, 'hash ' || i
        FROM n, (SELECT * FROM chunks LIMIT 1)`);
    expect(await ask({ type: "text" })).toEqual({ hnsw_ef: 512 });
  });

  it("sends a person's restricted documents if they are few, and never returns invisible ones", async () => {
    const index = await fillStore(0);
    rawDatabase().exec("UPDATE documents SET visibility = 'named', created_by = 'usr_owner'");
    const hide = qdrantStore.setOpen.bind(qdrantStore);
    for (const { id } of rawDatabase().prepare("SELECT id FROM documents").all() as { id: string }[])
      await hide({ ...index, dimensions: LEXICAL_DIMENSIONS }, id, false);
    rawDatabase().exec("INSERT INTO document_readers SELECT id, 'usr_viewer' FROM documents LIMIT 1");
    const ask = async (actor: Actor) => {
      const search = { query: QUERY, topK: 3, mode: "vectors" } as const;
      return (await searchIndex(index, actor, search)).passages.length;
    };
    const { owner, viewer, admin } = test.actors;
    expect([await ask(owner), await ask(viewer), await ask(admin)]).toEqual([3, 1, 0]);
    expect(JSON.stringify(queries()[0]?.filter)).toContain("doc_");
    // Other users see many more documents, which would make long filters.
    rawDatabase().exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
      INSERT INTO documents (id, org_id, name, type, source, category_id, status, visibility, created_by, created_at, updated_at)
        SELECT 'doc_many_' || i, org_id, 'Many', 'text', '', category_id, 'ready', 'named', 'usr_owner', 1, 1
        FROM n, (SELECT * FROM documents LIMIT 1);
      INSERT INTO document_readers SELECT id, u.column1 FROM documents, (VALUES ('usr_viewer'), ('usr_admin')) u
        WHERE name = 'Many'`);
    expect([await ask(owner), await ask(viewer), await ask(admin)]).toEqual([3, 1, 0]);
    expect(JSON.stringify(queries().at(-1)?.filter)).not.toContain("doc_");
  });

  it("selects a person's documents by the common visibility rule, with an index", () => {
    const collection = makeCollection();
    collection.add({ name: "Open", chunks: ["a"] });
    for (const name of ["Own", "Shared", "Hidden", "Gone"]) collection.add({ name, chunks: ["a"] });
    rawDatabase().exec(`UPDATE documents SET visibility = 'named', created_by = 'usr_owner' WHERE name <> 'Open';
      UPDATE documents SET created_by = 'usr_viewer' WHERE name IN ('Own', 'Gone');
      UPDATE documents SET deleted_at = 1 WHERE name = 'Gone';
      INSERT INTO document_readers SELECT id, 'usr_viewer' FROM documents WHERE name IN ('Own', 'Shared')`);
    const collected = collectStatements();
    const named = listRestrictedDocuments(db(), ORG_ID, "usr_viewer", 10);
    const plan = planOf(collected().at(-1) ?? "");
    const seen = rawDatabase()
      .prepare("SELECT DISTINCT document_id FROM document_viewers WHERE user_id = 'usr_viewer'")
      .pluck()
      .all();
    expect(named).toHaveLength(2);
    expect(named.sort()).toEqual(seen.sort());
    expect(plan).toContain("documents USING COVERING INDEX documents_counts (org_id=? AND visibility=?");
  });
});
