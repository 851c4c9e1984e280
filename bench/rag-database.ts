import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { closeDatabase, openConnection, setDatabase } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { ORG_ID } from "../tests/support/database";
import { migrate } from "../tests/support/search-thread";

export const mb = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;

/** Runs work with a temporary database that has an organization and a category. */
export async function withDatabase<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
  const file = join(folder, "quarterdeck.sqlite");
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder });
  const raw = openConnection(file);
  await migrate(raw, resolve("db/migrations"));
  setDatabase(raw);
  raw.prepare("INSERT INTO organisations (id, name, created_at) VALUES (?, 'Bench', 0)").run(ORG_ID);
  raw
    .prepare(
      "INSERT INTO document_categories (id, org_id, name, position, fixed, created_at) VALUES ('cat_bench', ?, 'Uncategorized', 0, 1, 0)",
    )
    .run(ORG_ID);
  try {
    return await work(file);
  } finally {
    await closeWorkerPools();
    closeDatabase();
    rmSync(folder, { recursive: true, force: true });
  }
}
