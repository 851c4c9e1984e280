import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { search } from "~/work/search/retrieval/search";
import { closeReader, readerOf } from "~/work/search/retrieval/search-connection.thread";
import type { SearchMode } from "~/work/search/retrieval/search-task";
import { hasCacm, judge, type Quality, readDocuments, readQuestions } from "../support/cacm";
import { openTestDatabase } from "../support/database";
import { OTHER_TEXTS } from "../support/other-texts";
import { type Hits, searchPassages, searchPlainly, shareOf } from "../support/passage-search";
import { readOfficePassages } from "../support/passage-sets";
import { addPassages, makeCollection, type SampleCollection, searchTask } from "../support/search-collection";

// Needs the CACM collection, ../shared/samples/cacm; skipped where it isn't.
describe.skipIf(!hasCacm)("retrieval on the CACM collection", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let collection: SampleCollection;

  beforeAll(() => {
    test = openTestDatabase();
    collection = makeCollection();
    transaction(() => {
      for (const { id, title, body } of readDocuments()) {
        collection.add({ name: title, chunks: [body], row: { id: String(id) } });
      }
    });
  }, 60_000);
  afterAll(() => {
    closeReader();
    test.close();
  });

  function measure(mode: SearchMode): Quality {
    const questions = readQuestions();
    const run = questions.map(({ text }) => {
      const task = searchTask(collection, text, { mode, limit: 100 });
      return search(readerOf(task.database), task).passages.map(({ documentId }) => Number(documentId));
    });
    return judge(questions, run);
  }

  it("finds with hybrid search more than keywords alone of the plainest kind do, without any model", () => {
    const { ndcg, recall, map } = measure("hybrid");
    // The score of plain FTS5 is 0.467.
    expect(ndcg).toBeGreaterThanOrEqual(0.48);
    expect(recall).toBeGreaterThanOrEqual(0.33);
    expect(map).toBeGreaterThanOrEqual(0.33);
  }, 60_000);

  it("finds by each part alone what it is there for", () => {
    expect(measure("keywords").ndcg).toBeGreaterThanOrEqual(0.48);
    expect(measure("vectors").ndcg).toBeGreaterThanOrEqual(0.28);
  }, 60_000);
});

describe("retrieval in several languages", () => {
  const sets = readOfficePassages();
  const others = { language: "other", passages: [...OTHER_TEXTS], questions: [] };
  let test: ReturnType<typeof openTestDatabase>;
  let found: Hits[];
  let plain: Hits[];

  beforeAll(() => {
    test = openTestDatabase();
    const collection = makeCollection();
    for (const set of [...sets, others]) addPassages(collection, set);
    found = searchPassages(collection, sets);
    plain = searchPlainly([...sets, others], "unicode61");
  });
  afterAll(() => {
    closeReader();
    test.close();
  });

  it("finds in one index what its language's analysis should, and no less than FTS5 by words", () => {
    // Four of the French questions share no word with their passages.
    const floors = [0.8, 1, 1];
    for (const [at, hits] of found.entries()) {
      expect(shareOf(hits)).toBeGreaterThanOrEqual(floors[at] ?? 1);
      expect(shareOf(hits)).toBeGreaterThanOrEqual(shareOf(plain[at] ?? []));
    }
  });
});
