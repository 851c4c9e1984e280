/**
 * Search time, recall@10 against exact search, event-loop delay, memory, bytes per chunk, indexing and embedding rates
 * at 10,000 and 100,000 chunks of 384 and 1,536 dimensions; ingestion through the real queue; quality on CACM if present.
 * `npm run bench:rag [-- 10000x384 100000x1536] [-- quality] [-- ingestion]`. Needs a build, for the threads.
 */
import { cpus, loadavg } from "node:os";
import { makeWords, randomFrom } from "../tests/support/rag-corpus";
import { embedLexically } from "../tests/support/search-thread";
import { withDatabase } from "./rag-database";
import { measureIngestion } from "./rag-ingestion";
import { measureQuality } from "./rag-quality";
import { measureSearch, QUESTIONS } from "./rag-search";

const DOCUMENTS = 2000;
const SIZES = ["10000x384", "10000x1536", "100000x384", "100000x1536"];

function embeddingSpeed(): number {
  const words = makeWords(randomFrom(3));
  const texts = Array.from({ length: 2000 }, () => words.text(250));
  for (const text of texts.slice(0, 500)) embedLexically(text);
  const started = performance.now();
  for (const text of texts) embedLexically(text);
  return texts.length / ((performance.now() - started) / 1000);
}

const sizes = process.argv.slice(2).filter((name) => /^\d+x\d+$/.test(name));
const [onlyQuality, onlyIngestion] = [process.argv.includes("quality"), process.argv.includes("ingestion")];
const all = sizes.length === 0 && !onlyQuality && !onlyIngestion;
console.log(
  `${cpus().length} processors, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(1)}; a search is from the ` +
    `main thread to a search process and back, ${QUESTIONS} of them one after the other, 3 to 7 words each, ten passages wanted`,
);
if (all || sizes.length > 0) {
  const rows: Record<string, string | number>[] = [];
  for (const name of all ? SIZES : sizes) {
    const [chunks = 0, dimensions = 0] = name.split("x").map(Number);
    rows.push(await measureSearch(chunks, dimensions));
    console.table(rows.slice(-1));
  }
  console.table(rows);
  console.log(`built-in embedder: ${embeddingSpeed().toFixed(0)} chunks of 250 words a second in one thread`);
}
if (all || onlyIngestion) await withDatabase(async () => console.table([await measureIngestion(DOCUMENTS)]));
if (all || onlyQuality) await withDatabase(measureQuality);
