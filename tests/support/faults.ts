import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import Database from "better-sqlite3";
import { build } from "esbuild";
import { nodeBundle } from "../../scripts/node-bundle.mjs";
import type { TestServer } from "./server";

/** `npm run test:faults` runs the whole forms, `npm test` a short one of each kind. */
export const isWholeForm = process.env.FAULT_KILLS !== undefined;

/** Queries a database file, also that of a killed process, whose log is then recovered. */
export function lookInto<T>({ dataDir }: { dataDir: string }, work: (raw: Database.Database) => T): T {
  const raw = new Database(join(dataDir, "quarterdeck.sqlite"));
  try {
    return work(raw);
  } finally {
    raw.close();
  }
}

/** Kills the process as soon as a query returns a row. */
export async function killWhen(server: TestServer, sql: string): Promise<void> {
  const raw = new Database(join(server.dataDir, "quarterdeck.sqlite"), { readonly: true });
  const statement = raw.prepare(sql).pluck();
  const end = Date.now() + 120_000;
  try {
    while (!statement.get()) {
      if (Date.now() > end) throw new Error(`It never came to: ${sql}`);
      await turn();
    }
  } finally {
    raw.close();
  }
  await server.kill();
}

/**
 * Bundles a program of tests/support that is killed and started again many times: with its packages, since reading them
 * one by one takes half of a start.
 *
 * @returns the bundle's path
 */
export async function bundleProgram(name: string): Promise<string> {
  const outfile = `.cache/${name}.mjs`;
  await build({ ...nodeBundle(), entryPoints: [`tests/support/${name}.ts`], outfile });
  return outfile;
}
