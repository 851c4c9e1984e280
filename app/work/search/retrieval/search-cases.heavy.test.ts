import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../../../tests/support/database";
import { OTHER_TEXTS } from "../../../../tests/support/other-texts";
import {
  addPassages,
  makeCollection,
  type SampleCollection,
  searchTask,
} from "../../../../tests/support/search-collection";
import { search } from "./search";
import { closeReader, readerOf } from "./search-connection.thread";

interface Case {
  text: string;
  queries: string[];
}

const CASES = JSON.parse(readFileSync("tests/fixtures/search-cases.json", "utf8")) as Case[];

describe.each(CASES)("$text", ({ text, queries }) => {
  let test: ReturnType<typeof openTestDatabase>;
  let collection: SampleCollection;
  beforeAll(() => {
    test = openTestDatabase();
    collection = makeCollection();
    addPassages(collection, { language: "other", passages: [...OTHER_TEXTS], questions: [] });
    addPassages(collection, { language: "wanted", passages: [text], questions: [] });
  });
  afterAll(() => {
    closeReader();
    test.close();
  });

  it.each(queries)("is among the first three for %j", (query) => {
    const task = searchTask(collection, query, { limit: 3 });
    const { passages } = search(readerOf(task.database), task);
    expect(passages.map(({ documentId }) => documentId)).toContain("wanted-0");
  });
});
