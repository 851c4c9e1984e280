import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { insertChunkSet } from "../../index/chunks.repo.server";
import { deleteTerms, insertTerms } from "../../index/stores/derived-tables.repo.server";
import { termsTable } from "../../index/stores/tables";
import { openTerms } from "../../index/stores/terms-index.server";
import { closeReader, readerOf } from "./search-connection.thread";
import { vocabularyOf } from "./vocabulary.queries";

describe("an index's vocabulary", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let table: string;
  beforeEach(() => {
    test = openTestDatabase();
    const set = transaction((tx) => insertChunkSet(tx, { orgId: ORG_ID, key: "v1/400/0", createdAt: 0 })).id;
    openTerms(set);
    table = termsTable(set, NO_LANGUAGE);
  });
  afterEach(() => {
    closeReader();
    test.close();
  });

  const add = (id: number, body: string) =>
    transaction(() => insertTerms(table, id, { title: "", headings: "", body }));
  const read = (budget?: number) => vocabularyOf(readerOf(rawDatabase().name), table, budget);
  const knows = (words: string, budget?: number) => {
    const vocabulary = read(budget);
    return words.split(" ").filter((word) => vocabulary.has(word));
  };

  it("has its words as FTS5 has them, without short ones and numbers", () => {
    add(1, "Invoices and a drum of 4711 valves");
    expect(knows("invoic valv drum invoices and 4711")).toEqual(["invoic", "valv", "drum"]);
  });

  it("follows what is added and removed, and isn't read again otherwise", () => {
    add(1, "garden");
    expect(knows("garden window")).toEqual(["garden"]);
    expect(read()).toBe(read());
    add(2, "window");
    expect(knows("garden window")).toEqual(["garden", "window"]);
    transaction(() => deleteTerms(table, 1));
    expect(knows("garden window")).toEqual(["window"]);
  });

  it("is read in turns, each of which goes on after the last", () => {
    add(1, "atom bold cold dark");
    expect([1, 2, 3, 4].map(() => knows("atom bold cold dark", 0).length)).toEqual([1, 2, 3, 4]);
  });

  it("stays as it was until the next is complete", () => {
    add(1, "bold cold");
    read();
    add(2, "dark");
    expect([1, 2, 3, 4].map(() => knows("bold cold dark", 0).length)).toEqual([2, 2, 2, 3]);
  });
});
