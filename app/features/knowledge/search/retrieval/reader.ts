/** What a search needs of a prepared statement. */
interface Statement {
  all(...values: unknown[]): unknown[];
  get(...values: unknown[]): unknown;
  iterate(...values: unknown[]): Iterable<unknown>;
  /** The first column alone. */
  pluck(): Statement;
}

/** Statements kept: those of a few indexes and sets of filters. */
const MOST_STATEMENTS = 200;

/** A connection of a search thread, read-only, with its statements. */
export interface Reader {
  /** Whether sqlite-vec is there. */
  hasVectors: boolean;
  /** A statement that is made once for the connection. */
  statement(sql: string): Statement;
}

export function makeReader(raw: { prepare(sql: string): Statement }, hasVectors: boolean): Reader {
  const statements = new Map<string, Statement>();
  return {
    hasVectors,
    statement(sql) {
      let found = statements.get(sql);
      if (!found) {
        if (statements.size >= MOST_STATEMENTS) statements.clear();
        found = raw.prepare(sql);
        statements.set(sql, found);
      }
      return found;
    },
  };
}
