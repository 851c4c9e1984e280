import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openConnection } from "~/core/db.server";
import { migrationsBefore } from "../tests/support/migrations";
import { migrate } from "./migrate";

it("moves the idempotency keys of runs to their own table", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-run-keys-"));
  const raw = openConnection(join(folder, "quarterdeck.sqlite"));
  try {
    await migrate(raw, migrationsBefore("run_keys", folder));
    raw.exec(`
      INSERT INTO organisations (id, name, created_at) VALUES ('org', 'Crew', 1);
      INSERT INTO workflows (id, org_id, name, description, enabled, version, runs_as, created_by, created_at, updated_at)
        VALUES ('wf', 'org', 'Hooked', '', 1, 1, 'ann', 'ann', 1, 1);
      INSERT INTO workflow_runs (id, org_id, workflow_id, version, state, trigger_id, trigger_type, payload, created_at,
        idempotency_key) VALUES
        ('keyed', 'org', 'wf', 1, 'succeeded', 'hook', 'webhook', '{}', 7, 'webhook:order-17'),
        ('plain', 'org', 'wf', 1, 'waiting', 'hook', 'webhook', '{}', 8, NULL);`);
    await migrate(raw, "db/migrations");
    expect(raw.prepare("SELECT * FROM workflow_run_keys").raw().all()).toEqual([
      ["wf", "webhook:order-17", "keyed", 7],
    ]);
    expect(raw.prepare("SELECT count(*) FROM workflow_runs").pluck().get()).toBe(2);
  } finally {
    raw.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
