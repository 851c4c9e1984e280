import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWholeForm, killWhen, lookInto } from "../support/faults";
import { startServer, type TestServer } from "../support/server";
import { batchEnded, upload } from "../support/uploads";

const DOCUMENTS = isWholeForm ? 120 : 40;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.close());

const word = (number: number) => `kraken${number.toString(36)}x`;
const names = Array.from({ length: DOCUMENTS }, (_, number) => `${word(number)}.md`);

/** A few chunks, and one word in each that occurs in no other document. */
function textOf(number: number, sections: number): string {
  const section = (part: number) =>
    `## Part ${part} of ${number}\n\nIt is ${word(number)}. ${`Rope ${part} of ship ${number} holds in force ${part % 12}. `.repeat(30)}`;
  return `# Document ${number}\n\n${Array.from({ length: sections }, (_, part) => section(part)).join("\n\n")}`;
}

async function found(query: string): Promise<string[]> {
  const response = await server.ask("/api/rag/search", { as: "member", json: { query, topK: 5 } });
  expect(response.status).toBe(200);
  const { results } = (await response.json()) as { results: { metadata: { title: string } }[] };
  return [...new Set(results.map(({ metadata }) => metadata.title))];
}

/** The first: the built-in embedder finds words that are merely alike, too. */
const foundByWord = async (number: number) => (await found(`"${word(number)}"`)).slice(0, 1);

async function indexes(): Promise<string[]> {
  const response = await server.ask("/api/rag/status", { as: "viewer" });
  const status = (await response.json()) as { indexes: { id: string; state: string; chunkTokens: number }[] };
  return status.indexes.map(({ state, chunkTokens }) => `${chunkTokens} ${state}`);
}

/** Chunks, entries and so on of the index that is being built. */
const built = (count: string, least: number) =>
  `SELECT count(*) > ${least} FROM search_indexes i JOIN ${count} WHERE i.state = 'building'`;

/** Far into it, while it cuts, and while it puts points. */
const places = [
  built("index_entries e ON e.index_id = i.id", 200),
  built("chunks c ON c.chunk_set_id = i.chunk_set_id", 20),
  built("index_entries e ON e.index_id = i.id", 1),
].slice(0, isWholeForm ? undefined : 1);

describe("kill -9 in the middle of an index's making", () => {
  it("has documents enough to begin with", async () => {
    const batches: string[] = [];
    for (let first = 0; first < DOCUMENTS; first += DOCUMENTS / 2) {
      const files = names.slice(first, first + DOCUMENTS / 2).map((name, index) => {
        const number = first + index;
        return [name, textOf(number, number === 0 ? 250 : 4)] as const;
      });
      batches.push((await upload(server, files)).batchId);
    }
    for (const id of batches) {
      const { counts } = await batchEnded(server, id, 40_000);
      expect(counts.ready).toBe(DOCUMENTS / 2);
    }
    expect(await indexes()).toEqual(["400 serving"]);
    expect(await foundByWord(7)).toEqual([names[7]]);
  }, 60_000);

  it.each(places)(
    "serves the old one in the meantime, and then the new one, cut off at %s",
    async (sql) => {
      const [before = ""] = await indexes();
      const chunkTokens = Number.parseInt(before, 10) === 150 ? 160 : 150;
      const settings = { chunkTokens, chunkOverlap: 0 };
      const response = await server.ask("/api/user/settings", { as: "admin", method: "PUT", json: settings });
      expect(response.status).toBe(200);
      await killWhen(server, sql);
      await server.start();
      expect(await indexes()).toEqual([before, `${chunkTokens} building`]);
      for (const number of [0, 11, DOCUMENTS - 1]) expect(await foundByWord(number)).toEqual([names[number]]);
      await expect.poll(indexes).toEqual([`${chunkTokens} serving`]);
    },
    60_000,
  );

  it("finds a document by its new name that was renamed in the moment before", async () => {
    const [document] = (await (
      await server.ask(`/api/rag/documents?search=${word(0)}`, { as: "member" })
    ).json()) as { id: string }[];
    const renamed = await server.ask(`/api/rag/documents/${document?.id}`, {
      as: "member",
      method: "PATCH",
      json: { name: "Leviathan" },
    });
    expect(renamed.status).toBe(200);
    await killWhen(
      server,
      "SELECT 1 FROM jobs WHERE kind = 'documents.update' AND state IN ('queued', 'running') AND input ->> '$.renamed'",
    );
    await server.start();
    await expect.poll(async () => (await found('"leviathan"'))[0]).toBe("Leviathan");
    await expect
      .poll(
        () =>
          lookInto(server, (raw) => {
            const set = raw
              .prepare("SELECT chunk_set_id FROM search_indexes WHERE state = 'serving'")
              .pluck()
              .get();
            const count = (match: string) =>
              raw.prepare(`SELECT count(*) FROM terms_${set} WHERE terms_${set} MATCH ?`).pluck().get(match);
            return [count(`title : ${word(0)}`), count("title : leviathan")];
          }),
        { timeout: 60_000 },
      )
      .toEqual([0, expect.any(Number)]);
  }, 60_000);

  it("has lost and doubled nothing in the end", async () => {
    await expect
      .poll(() =>
        lookInto(server, (raw) =>
          raw
            .prepare(
              "SELECT count(*) FROM jobs WHERE kind LIKE 'documents.%' AND state IN ('queued', 'running')",
            )
            .pluck()
            .get(),
        ),
      )
      .toBe(0);
    for (let number = 1; number < DOCUMENTS; number += 9)
      expect(await foundByWord(number)).toEqual([names[number]]);
    await server.stop();
    lookInto(server, (raw) => {
      const { id, chunk_set_id: set } = raw
        .prepare("SELECT id, chunk_set_id FROM search_indexes WHERE state = 'serving'")
        .get() as { id: number; chunk_set_id: number };
      const ids = (sql: string) => raw.prepare(sql).pluck().all();
      const chunks = ids(`SELECT id FROM chunks WHERE chunk_set_id = ${set} ORDER BY id`);
      expect(chunks.length).toBeGreaterThan(1000);
      expect(ids(`SELECT id FROM terms_${set}_docsize ORDER BY id`)).toEqual(chunks);
      expect(ids(`SELECT chunk_id FROM index_entries WHERE index_id = ${id} ORDER BY chunk_id`)).toEqual(
        chunks,
      );
      expect(ids(`SELECT rowid FROM vectors_${id}_rowids ORDER BY rowid`)).toEqual(chunks);
      // Every document's chunks are there once, without a gap.
      expect(
        ids(`SELECT d.name FROM documents d LEFT JOIN chunks c ON c.version_id = d.version_id AND c.chunk_set_id = ${set}
          GROUP BY d.id HAVING count(c.id) <> max(c.position) + 1 OR count(DISTINCT c.position) <> count(c.id)
            OR count(c.id) <> d.chunk_count OR count(c.id) = 0`),
      ).toEqual([]);
      expect(ids("SELECT count(*) FROM documents")).toEqual([DOCUMENTS]);
      // One switch each, however often it was started.
      expect(ids("SELECT count(*) FROM audit_entries WHERE action = 'index.switched'")).toEqual([
        places.length,
      ]);
    });
    await server.start();
  });
});
