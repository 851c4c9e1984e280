import { transaction } from "~/core/db.server";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { mergeIdleTerms } from "~/work/index/stores/terms-index.server";
import { search } from "~/work/search/retrieval/search";
import { closeReader, readerOf } from "~/work/search/retrieval/search-connection.thread";
import { hasCacm, judge, readDocuments, readQuestions } from "../tests/support/cacm";
import { openTestDatabase } from "../tests/support/database";
import { type Hits, searchPassages, searchPlainly, shareOf } from "../tests/support/passage-search";
import { type PassageSet, readPassageSets } from "../tests/support/passage-sets";
import {
  addPassages,
  makeCollection,
  type SampleCollection,
  searchTask,
} from "../tests/support/search-collection";

/** Runs work with a collection in a database of its own. */
async function withCollection<T>(work: (collection: SampleCollection) => T | Promise<T>): Promise<T> {
  const test = openTestDatabase();
  try {
    return await work(makeCollection());
  } finally {
    closeReader();
    test.close();
  }
}

const searchOurs = (sets: readonly PassageSet[]): Promise<Hits[]> =>
  withCollection(async (collection) => {
    for (const set of sets) addPassages(collection, set);
    // As the console does when it is idle: searches read every segment, of which each passage made one.
    while (!(await mergeIdleTerms({ idleMs: 0 })));
    return searchPassages(collection, sets);
  });

const METHODS = ["words", "trigrams", "ours"] as const;

const searchAll = async (sets: readonly PassageSet[]): Promise<Record<(typeof METHODS)[number], Hits[]>> => ({
  words: searchPlainly(sets, "unicode61"),
  trigrams: searchPlainly(sets, "trigram"),
  ours: await searchOurs(sets),
});

/** Hit@5 by language, alone and in an index with all others. */
export async function measureLanguages(
  languages: readonly string[],
): Promise<Record<string, Record<string, string>>> {
  const sets = readPassageSets(languages);
  const mixed = await searchAll(sets);
  const table: Record<string, Record<string, string>> = {};
  for (const [at, set] of sets.entries()) {
    const alone = await searchAll([set]);
    const rows = [
      { ending: "", hits: METHODS.map((method) => shareOf(alone[method][0] ?? [])) },
      { ending: ", mixed", hits: METHODS.map((method) => shareOf(mixed[method][at] ?? [])) },
    ];
    const cells = rows.flatMap(({ ending, hits }) =>
      METHODS.map((method, index) => [`${method}${ending}`, (hits[index] ?? 0).toFixed(3)]),
    );
    const below = rows.filter(
      ({ hits: [words = 0, trigrams = 0, ours = 0] }) => ours < Math.max(words, trigrams),
    );
    table[set.language] = {
      ...Object.fromEntries(cells),
      below: below.map(({ ending }) => ending.slice(2) || "alone").join(" "),
    };
  }
  return table;
}

/** English on the CACM collection. */
export async function measureEnglish(): Promise<Record<string, Record<string, string>>> {
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
