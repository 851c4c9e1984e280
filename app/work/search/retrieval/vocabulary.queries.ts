import { Vocabulary } from "~/core/language/vocabulary";
import type { Reader } from "./search-task";
import { statement } from "./statements";

/** Words that can be related to others. */
const COMPARED = "length(term) >= 4 AND term NOT GLOB '*[0-9]*'";
const MAX_WORDS = 500_000;
/**
 * Time that a search reads a language's words for (ms); the next search goes on. FTS5 decodes where each word occurs:
 * 0.5 s for 100,000 chunks.
 */
const BUDGET = 100;
/** A vocabulary that took longer than this (ms) isn't read again before so many times as long. */
const QUICK = 20;
const REST = 50;

/** Vocabularies kept; a rebuilt index leaves its own. */
const MAX_KEPT = 100;

interface Reading {
  /** The index's averages when the reading began. */
  averages: string;
  /** Those read so far, until all are. */
  words: string[];
  /** The one before, until the first is complete. */
  vocabulary: Vocabulary;
  isFirst: boolean;
  /** In ms. */
  took: number;
  /** By `performance.now`, once complete. */
  endedAt?: number;
}

const readings = new WeakMap<Reader, Map<string, Reading>>();

/** Rows and words of a keyword index (https://sqlite.org/fts5.html#fts5_data_structures): they change with its texts. */
export const readAverages = (reader: Reader, table: string) =>
  statement(reader, `SELECT block FROM ${table}_data WHERE id = 1`).pluck().get() as Uint8Array | undefined;

function readOn(reader: Reader, table: string, reading: Reading, budget: number): void {
  const started = performance.now();
  const rows = statement(reader, `SELECT term FROM temp.words_of_${table} WHERE term > ? AND ${COMPARED}`)
    .pluck()
    .iterate(reading.words.at(-1) ?? "");
  let isComplete = true;
  for (const word of rows as Iterable<string>) {
    reading.words.push(word);
    if (performance.now() - started < budget && reading.words.length < MAX_WORDS) continue;
    isComplete = reading.words.length >= MAX_WORDS;
    break;
  }
  if (isComplete || reading.isFirst) reading.vocabulary = new Vocabulary(reading.words);
  reading.took += performance.now() - started;
  if (!isComplete) return;
  reading.endedAt = performance.now();
  reading.words = [];
}

function isFresh({ averages, took, endedAt }: Reading, now: string): boolean {
  if (endedAt === undefined) return false;
  return averages === now || (took > QUICK && performance.now() - endedAt < REST * took);
}

/** The words of a keyword index, kept while it doesn't change. Those of a large one are complete after some searches. */
export function vocabularyOf(reader: Reader, table: string, budget = BUDGET): Vocabulary {
  const tables = readings.get(reader) ?? new Map<string, Reading>();
  readings.set(reader, tables);
  const averages = Buffer.from(readAverages(reader, table) ?? []).toString("hex");
  let reading = tables.get(table);
  if (reading && isFresh(reading, averages)) return reading.vocabulary;
  if (!reading || reading.endedAt !== undefined) {
    statement(
      reader,
      `CREATE VIRTUAL TABLE IF NOT EXISTS temp.words_of_${table} USING fts5vocab(main, ${table}, row)`,
    ).run();
    const vocabulary = reading?.vocabulary ?? new Vocabulary([]);
    reading = { averages, words: [], vocabulary, isFirst: reading === undefined, took: 0 };
    if (tables.size >= MAX_KEPT) tables.clear();
    tables.set(table, reading);
  }
  readOn(reader, table, reading, budget);
  return reading.vocabulary;
}
