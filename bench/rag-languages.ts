import Database from "better-sqlite3";
import { transaction } from "~/core/db.server";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { search } from "~/work/search/retrieval/search";
import { closeReader, readerOf } from "~/work/search/retrieval/search-connection.thread";
import type { SearchMode } from "~/work/search/retrieval/search-task";
import { hasCacm, judge, readDocuments, readQuestions } from "../tests/support/cacm";
import { openTestDatabase } from "../tests/support/database";
import { type PassageSet, readPassageSets } from "../tests/support/passage-sets";
import {
  addPassages,
  makeCollection,
  type SampleCollection,
  searchTask,
} from "../tests/support/search-collection";

const FOUND = 5;

/** Whether each question's passage is among the first five. */
type Hits = boolean[];

const share = (hits: Hits) => hits.filter(Boolean).length / hits.length;
const shown = (hits: Hits) => (hits.length === 0 ? "–" : share(hits).toFixed(3));

const quoted = (terms: readonly string[]) =>
  terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(" OR ");
const wordsOf = (text: string) => text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

function trigramsOf(text: string): string[] {
  const characters = [...text];
  return [...new Set(characters.slice(2).map((_, at) => characters.slice(at, at + 3).join("")))];
}

/** Plain FTS5 by words or by groups of three letters: any of the question's terms, by BM25. */
function searchPlainly(sets: readonly PassageSet[], tokenizer: "unicode61" | "trigram"): Hits[] {
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

/** Runs work with a collection in a database of its own. */
function withCollection<T>(work: (collection: SampleCollection) => T): T {
  const test = openTestDatabase();
  try {
    return work(makeCollection());
  } finally {
    closeReader();
    test.close();
  }
}

const searchOurs = (sets: readonly PassageSet[], mode: SearchMode): Hits[] =>
  withCollection((collection) => {
    for (const set of sets) addPassages(collection, set);
    return sets.map(({ language, questions }) =>
      questions.map(([text, answer]) => {
        const task = searchTask(collection, text, { mode, limit: FOUND });
        const { passages } = search(readerOf(task.database), task);
        return passages.some(({ documentId }) => documentId === `${language}-${answer}`);
      }),
    );
  });

/** Hit@5 by language, alone and in an index with all others. */
export function measureLanguages(languages: readonly string[]): Record<string, Record<string, string>> {
  const sets = readPassageSets(languages);
  const runs = {
    words: (some: readonly PassageSet[]) => searchPlainly(some, "unicode61"),
    trigrams: (some: readonly PassageSet[]) => searchPlainly(some, "trigram"),
    keywords: (some: readonly PassageSet[]) => searchOurs(some, "keywords"),
    hybrid: (some: readonly PassageSet[]) => searchOurs(some, "hybrid"),
  };
  const table: Record<string, Record<string, string>> = {};
  for (const [name, run] of Object.entries(runs)) {
    const mixed = run(sets);
    for (const [at, set] of sets.entries()) {
      const row = table[set.language] ?? {};
      table[set.language] = row;
      row[name] = shown(run([set])[0] ?? []);
      row[`${name}, mixed`] = shown(mixed[at] ?? []);
    }
  }
  for (const [language, row] of Object.entries(table)) {
    const isBelow = (ending: string) =>
      Number(row[`hybrid${ending}`]) <
      Math.max(Number(row[`words${ending}`]), Number(row[`trigrams${ending}`]));
    table[language] = {
      ...row,
      below: [isBelow("") && "alone", isBelow(", mixed") && "mixed"].filter(Boolean).join(" "),
    };
  }
  return table;
}

/** English on the CACM collection. */
export function measureEnglish(): Record<string, Record<string, string>> {
  if (!hasCacm) return { CACM: { skipped: "../shared/samples/cacm is absent" } };
  return withCollection((collection) => {
    transaction(() => {
      for (const { id, title, body } of readDocuments())
        collection.add({
          name: title,
          chunks: [{ text: body, language: NO_LANGUAGE }],
          row: { id: String(id) },
        });
    });
    const questions = readQuestions();
    const rows: Record<string, Record<string, string>> = {};
    for (const mode of ["keywords", "hybrid", "vectors"] as const) {
      const run = questions.map(({ text }) => {
        const task = searchTask(collection, text, { mode, limit: 100 });
        return search(readerOf(task.database), task).passages.map(({ documentId }) => Number(documentId));
      });
      const { ndcg, recall, map } = judge(questions, run);
      rows[`CACM ${mode}`] = {
        "nDCG@10": ndcg.toFixed(4),
        "recall@10": recall.toFixed(4),
        map: map.toFixed(4),
      };
    }
    return rows;
  });
}
