import { vi } from "vitest";
import { rawDatabase } from "~/core/db.server";

const PARAMETER = /\?/g;

/** One step per line (https://sqlite.org/eqp.html). */
export function planOf(sql: string, params: readonly unknown[] = []): string {
  const given = params.length > 0 ? params : Array.from(sql.matchAll(PARAMETER), () => null);
  const steps = rawDatabase()
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...given) as { detail: string }[];
  return steps.map(({ detail }) => detail).join("\n");
}

/** @returns a function that ends it and returns distinct statements */
export function collectStatements(): () => string[] {
  const prepare = vi.spyOn(rawDatabase(), "prepare");
  return () => {
    const made = new Set(prepare.mock.calls.map(([sql]) => sql));
    prepare.mockRestore();
    return [...made];
  };
}
