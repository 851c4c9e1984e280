import type { Reader } from "./search-task";

interface Statement {
  all(...values: unknown[]): unknown[];
  get(...values: unknown[]): unknown;
  run(...values: unknown[]): unknown;
  iterate(...values: unknown[]): Iterable<unknown>;
  pluck(): Statement;
}

const MAX_STATEMENTS = 200;

const prepared = new WeakMap<Reader, (sql: string) => Statement>();

export function makeReader(raw: { prepare(sql: string): Statement }, hasVectors: boolean): Reader {
  const reader = { hasVectors };
  const statements = new Map<string, Statement>();
  prepared.set(reader, (sql) => {
    let statement = statements.get(sql);
    if (!statement) {
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      statement = raw.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  });
  return reader;
}

/** For `*.queries.ts` only. */
export function statement(reader: Reader, sql: string): Statement {
  const prepare = prepared.get(reader);
  if (!prepare) throw new Error("The reader was not made by makeReader.");
  return prepare(sql);
}
