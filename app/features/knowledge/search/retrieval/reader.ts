interface Statement {
  all(...values: unknown[]): unknown[];
  get(...values: unknown[]): unknown;
  iterate(...values: unknown[]): Iterable<unknown>;
  pluck(): Statement;
}

/** Maximum number of cached statements. */
const MOST_STATEMENTS = 200;

export interface Reader {
  /** Whether sqlite-vec is there. */
  hasVectors: boolean;
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
