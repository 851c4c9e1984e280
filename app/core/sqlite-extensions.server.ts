import type Database from "better-sqlite3";
import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { load } from "sqlite-vec";

const fold = (text: string) => text.normalize("NFC").toLowerCase();

export function defineTextMatch(raw: Database.Database): void {
  raw.function("holds_folded", { deterministic: true }, (text: unknown, part: unknown) =>
    typeof text === "string" && fold(text).includes(String(part)) ? 1 : 0,
  );
}

/** Whether a text contains a part, ignoring case. SQLite's LIKE only does so for ASCII. */
export function containsText(column: SQLWrapper, part: string): SQL {
  const folded = fold(part);
  // LIKE is many times faster than the function.
  return /^\p{ASCII}*$/u.test(folded)
    ? sql`${column} like ${`%${folded.replaceAll(/[\\%_]/g, "\\$&")}%`} escape '\\'`
    : sql`holds_folded(${column}, ${folded})`;
}

export function containsWords(column: SQLWrapper, words: readonly string[]): SQL | undefined {
  return and(...words.map((word) => containsText(column, word)));
}

/** FTS5 ends an expression at a NUL. */
const quoted = (word: string) => `"${word.replaceAll("\0", " ").replaceAll('"', '""')}"`;

/** A query of a trigram index, which matches anywhere in a text. Undefined if no word has three characters. */
export function trigramQuery(words: readonly string[]): string | undefined {
  const long = words.filter((word) => [...word].length >= 3);
  return long.length > 0 ? long.map(quoted).join(" AND ") : undefined;
}

/** A prefix query of a word index. Undefined if no word has a letter or digit. */
export function wordsQuery(words: readonly string[]): string | undefined {
  const searchable = words.filter((word) => /[\p{L}\p{N}]/u.test(word));
  return searchable.length > 0 ? searchable.map((word) => `${quoted(word)}*`).join(" AND ") : undefined;
}

export type VectorExtension = { ok: true; version: string } | { ok: false; reason: string };

/** Loads sqlite-vec. It may be missing or forbidden, so a failure is returned, not thrown. */
export function loadVectorExtension(raw: Database.Database): VectorExtension {
  try {
    load(raw);
    return { ok: true, version: String(raw.prepare("SELECT vec_version()").pluck().get()) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
