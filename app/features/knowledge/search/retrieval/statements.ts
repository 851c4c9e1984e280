import type { Reader } from "./reader";

interface Statement {
  all(...values: unknown[]): unknown[];
  get(...values: unknown[]): unknown;
  iterate(...values: unknown[]): Iterable<unknown>;
  pluck(): Statement;
}

/** Maximum number of cached statements. */
const MOST_STATEMENTS = 200;

const prepared = new WeakMap<Reader, (sql: string) => Statement>();

export function makeReader(raw: { prepare(sql: string): Statement }, hasVectors: boolean): Reader {
  const reader = { hasVectors };
  const statements = new Map<string, Statement>();
  prepared.set(reader, (sql) => {
    let found = statements.get(sql);
    if (!found) {
      if (statements.size >= MOST_STATEMENTS) statements.clear();
      found = raw.prepare(sql);
      statements.set(sql, found);
    }
    return found;
  });
  return reader;
}

/** For `*.queries.ts` only. */
export function statement(reader: Reader, sql: string): Statement {
  const prepare = prepared.get(reader);
  if (!prepare) throw new Error("The reader was not made by makeReader.");
  return prepare(sql);
}
