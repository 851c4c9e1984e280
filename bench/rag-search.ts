import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { ORG_ID } from "../tests/support/database";
import { type Filled, fill, makeVectors, makeWords, randomFrom } from "../tests/support/rag-corpus";
import {
  mergeIdleTerms,
  migrate,
  openTerms,
  type SearchTask,
  searchInThread,
} from "../tests/support/search-thread";
import { ms, quantile } from "./measure";

const CHUNKS = 100_000;
const DIMENSIONS = 384;
const QUESTIONS = 200;
const FOUND = 10;

interface Question {
  text: string;
  vector: Float32Array;
  /** Exact nearest neighbors. */
  nearest: { chunkId: number; similarity: number }[];
}

/** Questions near the first vectors of the same random stream. */
function makeQuestions(): Question[] {
  const random = randomFrom(7);
  const words = makeWords(random);
  const same = makeVectors(randomFrom(DIMENSIONS + CHUNKS), DIMENSIONS);
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

async function timeSearches({ index }: Filled, questions: readonly Question[], mode: SearchTask["mode"]) {
  const times: number[] = [];
  let found = 0;
  for (const { text, vector, nearest } of questions) {
    const started = performance.now();
    const { passages } = await searchInThread({
      orgId: ORG_ID,
      userId: "usr_bench",
      index,
      query: text,
      mode,
      vector,
      filters: {},
      limit: FOUND,
    });
    times.push(performance.now() - started);
    const ids = new Set(passages.map(({ chunkId }) => chunkId));
    found += nearest.filter(({ chunkId }) => ids.has(chunkId)).length;
  }
  return { times, recall: found / (questions.length * FOUND) };
}

/** As the console does for an idle keyword index. */
async function mergeKeywordIndex({ index }: Filled): Promise<void> {
  openTerms(index.chunkSetId);
  while (!(await mergeIdleTerms({ idleMs: 0 })));
  rawDatabase().pragma("wal_checkpoint(TRUNCATE)");
}

/** Runs work with a temporary database that has an organization and a category. */
async function withDatabase<T>(work: () => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder });
  const raw = openConnection(join(folder, "quarterdeck.sqlite"));
  await migrate(raw, resolve("db/migrations"));
  setDatabase(raw);
  raw.prepare("INSERT INTO organisations (id, name, created_at) VALUES (?, 'Bench', 0)").run(ORG_ID);
  raw
    .prepare(
      "INSERT INTO document_categories (id, org_id, name, position, fixed, created_at) VALUES ('cat_bench', ?, 'Uncategorized', 0, 1, 0)",
    )
    .run(ORG_ID);
  try {
    return await work();
  } finally {
    await closeWorkerPools();
    closeDatabase();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Searches of 3 to 7 words, one after the other, from the main thread to a search process and back. */
export const measureSearch = (): Promise<Record<"p50" | "p95" | "recall@10", string>> =>
  withDatabase(async () => {
    const questions = makeQuestions();
    const corpus = { chunks: CHUNKS, dimensions: DIMENSIONS, orgId: ORG_ID };
    const filled = fill(rawDatabase(), corpus, (chunkId, vector) => compare(questions, chunkId, vector));
    await mergeKeywordIndex(filled);
    // Warms up processes and the page cache.
    await timeSearches(filled, questions.slice(0, 50), "hybrid");
    const { times } = await timeSearches(filled, questions, "hybrid");
    const { recall } = await timeSearches(filled, questions, "vectors");
    return { p50: ms(quantile(times, 0.5)), p95: ms(quantile(times, 0.95)), "recall@10": recall.toFixed(3) };
  });
