import { rawDatabase, transaction } from "~/core/db.server";
import {
  type CacmQuestion,
  hasCacm,
  judge,
  type Quality,
  readDocuments,
  readQuestions,
} from "../tests/support/cacm";
import { makeCollection, type SampleCollection, searchTask } from "../tests/support/search-collection";
import { searchInThread } from "../tests/support/search-thread";

/** Evaluation depth: the maximum number of search results. */
const DEPTH = 100;

const row = (name: string, { ndcg, recall, map }: Quality) => ({
  "": name,
  "nDCG@10": ndcg.toFixed(3),
  "Recall@10": recall.toFixed(3),
  MAP: map.toFixed(3),
});

/** Baseline: FTS5 with the porter stemmer, OR of the words that aren't stop words. */
function plainFts5(questions: readonly CacmQuestion[]): Quality {
  const raw = rawDatabase();
  raw.exec("CREATE VIRTUAL TABLE temp.plain USING fts5(text, tokenize='porter unicode61')");
  const insert = raw.prepare("INSERT INTO plain (rowid, text) VALUES (?, ?)");
  for (const { id, title, body } of readDocuments()) insert.run(id, `${title}\n${body}`);
  const find = raw.prepare("SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?").pluck();
  const stop = new Set(
    "a an and any are as be by can do for from has have how i if in into is it its like of on or such that the their there these this to use used using was we what when where which who will with would about am me my not".split(
      " ",
    ),
  );
  const run = questions.map(({ text }) => {
    const words = [...new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? [])].filter(
      (word) => !stop.has(word),
    );
    return find.all(words.map((word) => `"${word}"`).join(" OR "), DEPTH) as number[];
  });
  raw.exec("DROP TABLE plain");
  return judge(questions, run);
}

async function measureMode(
  collection: SampleCollection,
  questions: readonly CacmQuestion[],
  mode: "keywords" | "vectors" | "hybrid",
): Promise<Quality> {
  const run: number[][] = [];
  for (const { text } of questions) {
    const { database: _database, ...task } = searchTask(collection, text, { mode, limit: DEPTH });
    const { passages } = await searchInThread(task);
    run.push(passages.map(({ documentId }) => Number(documentId)));
  }
  return judge(questions, run);
}

export async function measureQuality(): Promise<void> {
  if (!hasCacm) {
    console.log("\nNo quality: ../shared/samples/cacm isn't here.");
    return;
  }
  const collection = makeCollection();
  transaction(() => {
    for (const { id, title, body } of readDocuments()) {
      collection.add({ name: title, chunks: [body], row: { id: String(id) } });
    }
  });
  const questions = readQuestions();
  console.log(
    `\nCACM, title, abstract, authors and keywords, one chunk each: ${questions.length} judged questions, the first ${DEPTH} found`,
  );
  console.table([
    row("plain FTS5", plainFts5(questions)),
    row("keywords only", await measureMode(collection, questions, "keywords")),
    row("built-in embedder only", await measureMode(collection, questions, "vectors")),
    row("hybrid", await measureMode(collection, questions, "hybrid")),
  ]);
}
