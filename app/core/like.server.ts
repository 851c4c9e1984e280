import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Whether a text holds every one of some words, whatever their case. */
export function holdsWords(column: SQLWrapper, words: readonly string[]): SQL | undefined {
  return and(
    ...words.map((word) => sql`${column} like ${`%${word.replaceAll(/[\\%_]/g, "\\$&")}%`} escape '\\'`),
  );
}
