import Database from "better-sqlite3";
import { z } from "zod";
import { defineTextFunctions } from "./sqlite-extensions.server";

export interface ReadQuery {
  sql: string;
  params: unknown[];
}

export const ReadTask = z.object({
  database: z.string(),
  queries: z.array(z.object({ sql: z.string(), params: z.array(z.unknown()) })),
  maxRows: z.number().int().optional(),
});
export type ReadTask = z.infer<typeof ReadTask>;

export type ReadRows = unknown[][][];

const MAX_STATEMENTS = 100;
/** Memory-mapped bytes, so that scans don't copy. */
const MAPPED = 2 ** 30;

let current: { file: string; raw: Database.Database } | undefined;
const statements = new Map<string, Database.Statement>();

function connectionTo(file: string): Database.Database {
  if (current?.file === file) return current.raw;
  current?.raw.close();
  statements.clear();
  // WAL readers don't wait; this covers setup and recovery of the log.
  const raw = new Database(file, { readonly: true, fileMustExist: true, timeout: 2000 });
  raw.pragma(`mmap_size = ${MAPPED}`);
  defineTextFunctions(raw);
  current = { file, raw };
  return raw;
}

function statementOf(file: string, sql: string): Database.Statement {
  const raw = connectionTo(file);
  const cached = statements.get(sql);
  if (cached) return cached;
  if (statements.size >= MAX_STATEMENTS) statements.clear();
  const statement = raw.prepare(sql).raw();
  statements.set(sql, statement);
  return statement;
}

export function readRows({ database, queries, maxRows = Number.POSITIVE_INFINITY }: ReadTask): ReadRows {
  const collected: ReadRows = [];
  let rows = 0;
  for (const { sql, params } of queries) {
    const own = rows < maxRows ? (statementOf(database, sql).all(...params) as unknown[][]) : [];
    rows += own.length;
    collected.push(own);
  }
  return collected;
}
