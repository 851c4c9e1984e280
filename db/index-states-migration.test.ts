import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openConnection } from "~/core/db.server";
import { migrationsBefore } from "../tests/support/migrations";
import { migrate } from "./migrate";

it("lets an index take over that waited for it, keeps all others, and forgets comparisons and their setting", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-indexes-"));
  const raw = openConnection(join(folder, "quarterdeck.sqlite"));
  const states = ["building", "ready", "serving", "retired", "cancelled", "failed"];
  try {
    await migrate(raw, migrationsBefore("one_index_beside", folder));
    raw.exec(`
      INSERT INTO organisations (id, name, created_at) VALUES ('org', 'Crew', 1);
      INSERT INTO chunk_sets (id, org_id, key, created_at) VALUES (1, 'org', 'v2/400/60', 1);
      INSERT INTO embedding_spaces (id, org_id, key, kind, model, dimensions, created_at)
        VALUES (1, 'org', 'model/all-minilm', 'model', 'all-minilm', 384, 1);
      INSERT INTO org_settings (org_id, key, value, updated_at)
        VALUES ('org', 'rag', '{"chunkTokens":300,"compareFirst":true}', 1);`);
    const index =
      raw.prepare(`INSERT INTO search_indexes (org_id, chunk_set_id, space_id, store, state, held, done,
      total, created_by, created_at) VALUES ('org', 1, 1, 'sqlite', ?, 1, 3, 5, 'ann', 1)`);
    for (const state of states) index.run(state);
    const run =
      raw.prepare(`INSERT INTO retrieval_runs (id, org_id, index_id, setting, hit_rate, mrr, ndcg, results,
      created_by, created_at) VALUES (?, 'org', 1, ?, 1, 1, 1, '[]', 'ann', 1)`);
    run.run("old", JSON.stringify({ run: "a", index: "serving", mode: "hybrid" }));
    run.run("new", JSON.stringify({ run: "a", index: "next", mode: "hybrid" }));
    await migrate(raw, "db/migrations");
    const all = (sql: string) => raw.prepare(sql).pluck().all();
    expect(all("SELECT state FROM search_indexes ORDER BY id")).toEqual(
      states.map((state) => (state === "ready" ? "building" : state)),
    );
    expect(all("SELECT done FROM search_indexes")).toEqual(states.map(() => 3));
    expect(all("SELECT max_tokens FROM embedding_spaces")).toEqual([null]);
    expect(all("SELECT value FROM org_settings WHERE key = 'rag'")).toEqual(['{"chunkTokens":300}']);
    expect(all("SELECT id FROM retrieval_runs")).toEqual(["old"]);
  } finally {
    raw.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
