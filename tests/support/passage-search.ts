import Database from "better-sqlite3";
import { search } from "~/work/search/retrieval/search";
import { readerOf } from "~/work/search/retrieval/search-connection.thread";
import type { PassageSet } from "./passage-sets";
import { type SampleCollection, searchTask } from "./search-collection";

const FOUND = 5;

/** Whether each question's passage is among the first five. */
export type Hits = boolean[];

export const shareOf = (hits: Hits) => hits.filter(Boolean).length / hits.length;

const quoted = (terms: readonly string[]) =>
  terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(" OR ");
const wordsOf = (text: string) => text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

function trigramsOf(text: string): string[] {
  const characters = [...text];
  return [...new Set(characters.slice(2).map((_, at) => characters.slice(at, at + 3).join("")))];
}

/** Plain FTS5 by words or by groups of three letters: any of the question's terms, by BM25. */
export function searchPlainly(sets: readonly PassageSet[], tokenizer: "unicode61" | "trigram"): Hits[] {
  const database = new Database(":memory:");
  database.exec(`CREATE VIRTUAL TABLE passages USING fts5(text, tokenize='${tokenizer}')`);
  const insert = database.prepare("INSERT INTO passages (rowid, text) VALUES (?, ?)");
  const offsets: number[] = [];
  let rows = 0;
  database.transaction(() => {
    for (const { passages } of sets) {
      offsets.push(rows);
      for (const text of passages) insert.run(BigInt(++rows), text);
    }
  })();
  const find = database
    .prepare(`SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages) LIMIT ${FOUND}`)
    .pluck();
  const termsOf = tokenizer === "trigram" ? trigramsOf : wordsOf;
  const hits = sets.map(({ questions }, set) =>
    questions.map(([text, answer]) => {
      const terms = termsOf(text);
      return terms.length > 0 && find.all(quoted(terms)).includes((offsets[set] ?? 0) + answer + 1);
    }),
  );
  database.close();
  return hits;
}

/** The console's search over a collection that has the passages. */
export const searchPassages = (collection: SampleCollection, sets: readonly PassageSet[]): Hits[] =>
  sets.map(({ language, questions }) =>
    questions.map(([text, answer]) => {
      const task = searchTask(collection, text, { limit: FOUND });
      const { passages } = search(readerOf(task.database), task);
      return passages.some(({ documentId }) => documentId === `${language}-${answer}`);
    }),
  );
