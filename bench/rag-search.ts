import { statSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { rawDatabase } from "~/core/db.server";
import { ORG_ID } from "../tests/support/database";
import { type Filled, fill, makeVectors, makeWords, randomFrom } from "../tests/support/rag-corpus";
import { mergeIdleTerms, openTerms, type SearchTask, searchInThread } from "../tests/support/search-thread";
import { mb, withDatabase } from "./rag-database";
import { ms, quantile } from "./statistics";

export const QUESTIONS = 200;
const FOUND = 10;
/** Concurrent searches while delays are measured: more than there are threads. */
const CALLERS = 4;

interface Question {
  text: string;
  vector: Float32Array;
  /** Exact nearest neighbors. */
  nearest: { chunkId: number; similarity: number }[];
}

/** Questions near the first vectors of the same random stream. */
function makeQuestions(chunks: number, dimensions: number): Question[] {
  const random = randomFrom(7);
  const words = makeWords(random);
  const same = makeVectors(randomFrom(dimensions + chunks), dimensions);
  const answers = Array.from({ length: QUESTIONS }, () => same.document());
  return answers.map((answer) => ({
    text: words.query(3 + Math.floor(random() * 5)),
    vector: same.question(answer),
    nearest: [],
  }));
}

function compare(questions: readonly Question[], chunkId: number, vector: Float32Array): void {
  for (const question of questions) {
    let similarity = 0;
    for (let index = 0; index < vector.length; index++) {
      similarity += (vector[index] as number) * (question.vector[index] as number);
    }
    const { nearest } = question;
    if (nearest.length === FOUND && similarity <= (nearest.at(-1)?.similarity ?? -1)) continue;
    nearest.push({ chunkId, similarity });
    nearest.sort((a, b) => b.similarity - a.similarity);
    nearest.length = Math.min(nearest.length, FOUND);
  }
}

/** Assigns categories. @returns filters that match half, 1% and one of the documents */
function makeFilters(): Record<string, SearchTask["filters"]> {
  const raw = rawDatabase();
  const add = raw.prepare(
    "INSERT INTO document_categories (id, org_id, name, position, created_at) VALUES (?, ?, ?, 1, 0)",
  );
  for (const name of ["Half", "Hundredth"]) add.run(name, ORG_ID, name);
  raw.exec(`UPDATE documents SET category_id = CASE WHEN rowid % 100 = 0 THEN 'Hundredth' ELSE 'Half' END
    WHERE rowid % 100 = 0 OR rowid % 2 = 1`);
  const documentId = raw.prepare("SELECT id FROM documents WHERE rowid = 7").pluck().get() as string;
  return {
    half: { category: "Half" },
    "a hundredth": { category: "Hundredth" },
    "one document": { documentId },
  };
}

const search = (
  { index }: Filled,
  { text, vector }: Question,
  mode: SearchTask["mode"],
  filters: SearchTask["filters"] = {},
) =>
  searchInThread({
    orgId: ORG_ID,
    userId: "usr_bench",
    index,
    query: text,
    mode,
    vector,
    filters,
    limit: FOUND,
  });

async function timeSearches(
  filled: Filled,
  questions: readonly Question[],
  mode: SearchTask["mode"],
  filters?: SearchTask["filters"],
) {
  const times: number[] = [];
  let found = 0;
  const before = process.cpuUsage();
  for (const question of questions) {
    const started = performance.now();
    const { passages } = await search(filled, question, mode, filters);
    times.push(performance.now() - started);
    const ids = new Set(passages.map(({ chunkId }) => chunkId));
    found += question.nearest.filter(({ chunkId }) => ids.has(chunkId)).length;
  }
  const { user, system } = process.cpuUsage(before);
  return {
    times,
    recall: found / (questions.length * FOUND),
    cpuMs: (user + system) / 1000 / questions.length,
  };
}

/** Longest delay of another request while searches run. */
async function measureDelay(filled: Filled, questions: readonly Question[]) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const remaining = [...questions];
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let next = remaining.pop(); next; next = remaining.pop()) await search(filled, next, "hybrid");
    }),
  );
  delay.disable();
  return { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 };
}

/** As the console does for an idle keyword index. @returns duration (ms) */
async function mergeKeywordIndex({ index }: Filled): Promise<number> {
  const started = performance.now();
  openTerms(index.chunkSetId);
  while (!(await mergeIdleTerms({ idleMs: 0 })));
  rawDatabase().pragma("wal_checkpoint(TRUNCATE)");
  return performance.now() - started;
}

/** Recall and cost of searches in one index, with and without filters. */
export async function measureSearch(
  chunks: number,
  dimensions: number,
): Promise<Record<string, string | number>> {
  return withDatabase(async (file) => {
    const questions = makeQuestions(chunks, dimensions);
    let comparing = 0;
    const filled = fill(rawDatabase(), { chunks, dimensions, orgId: ORG_ID }, (chunkId, vector) => {
      const started = performance.now();
      compare(questions, chunkId, vector);
      comparing += performance.now() - started;
    });
    rawDatabase().pragma("wal_checkpoint(TRUNCATE)");
    const size = statSync(file).size;
    const before = process.memoryUsage().rss;
    // Warms up processes and the page cache.
    for (const question of questions.slice(0, 50)) await search(filled, question, "hybrid");
    const beforeMerge = await timeSearches(filled, questions, "hybrid");
    const merging = await mergeKeywordIndex(filled);
    const hybrid = await timeSearches(filled, questions, "hybrid");
    const keywords = await timeSearches(filled, questions, "keywords");
    const vectors = await timeSearches(filled, questions, "vectors");
    const delay = await measureDelay(filled, questions);
    const filtered: Record<string, string> = {};
    for (const [name, filters] of Object.entries(makeFilters())) {
      const { times } = await timeSearches(filled, questions, "hybrid", filters);
      filtered[`${name} p50 / p95`] = `${ms(quantile(times, 0.5))} / ${ms(quantile(times, 0.95))}`;
    }
    return {
      "": `${chunks} x ${dimensions}`,
      p50: ms(quantile(hybrid.times, 0.5)),
      p95: ms(quantile(hybrid.times, 0.95)),
      "own processor time": ms(hybrid.cpuMs),
      "p95 before it rests": ms(quantile(beforeMerge.times, 0.95)),
      "merged at rest in": `${(merging / 1000).toFixed(1)} s`,
      "keywords p95": ms(quantile(keywords.times, 0.95)),
      "vectors p95": ms(quantile(vectors.times, 0.95)),
      "recall@10": vectors.recall.toFixed(3),
      "others' delay p99 / max": `${ms(delay.p99)} / ${ms(delay.max)}`,
      "bytes per chunk": Math.round(size / chunks),
      "memory before / after": `${mb(before)} / ${mb(process.memoryUsage().rss)}`,
      ...filtered,
      "written per second": Math.round(chunks / (filled.seconds - comparing / 1000)),
    };
  });
}
