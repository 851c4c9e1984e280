import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openConnection } from "~/core/db.server";
import { migrationsBefore } from "../tests/support/migrations";
import { migrate } from "./migrate";

const SETTINGS = "settings_versions";

let folder: string;
let raw: Database.Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-settings-"));
  raw = openConnection(join(folder, "quarterdeck.sqlite"));
});
afterEach(() => {
  raw.close();
  rmSync(folder, { recursive: true, force: true });
});

it("keeps settings from before they had versions, each group in a row of its own", async () => {
  await migrate(raw, migrationsBefore(SETTINGS, folder));
  raw.exec("INSERT INTO organisations (id, name, created_at) VALUES ('org', 'Crew', 1)");
  const save = raw.prepare("INSERT INTO org_settings VALUES ('org', ?, ?, 7)");
  const before = {
    advanced: { ai: { timeout: 300 }, security: { sessionTimeout: 600 }, monitoring: "broken" },
    rag: { ragEnabled: false },
    routing: { policy: "cheapest" },
    "embedding-consent": { agreed: [], postponed: [] },
  };
  for (const [key, value] of Object.entries(before)) save.run(key, JSON.stringify(value));
  await migrate(raw, "db/migrations");
  const { advanced, ...others } = before;
  const rows = raw.prepare("SELECT key, value, version, updated_at FROM org_settings").all() as {
    key: string;
    value: string;
  }[];
  expect(Object.fromEntries(rows.map(({ key, value }) => [key, JSON.parse(value)]))).toEqual({
    ...others,
    ai: advanced.ai,
    security: advanced.security,
  });
  expect(rows).toContainEqual(expect.objectContaining({ key: "ai", version: 1, updated_at: 7 }));
  expect(raw.pragma("foreign_key_check")).toEqual([]);
});

it("drops the settings and jobs of the audit trail's anchors", async () => {
  await migrate(raw, migrationsBefore("without_anchors", folder));
  raw.exec("INSERT INTO organisations (id, name, created_at) VALUES ('org', 'Crew', 1)");
  const security = {
    sessionTimeout: 600,
    anchorEmail: "audit@example.org",
    anchorWebhook: "https://a.example",
  };
  raw
    .prepare("INSERT INTO org_settings (org_id, key, value, updated_at) VALUES ('org', 'security', ?, 7)")
    .run(JSON.stringify(security));
  const enqueue = raw.prepare(
    "INSERT INTO jobs (id, kind, lane, owner, state, run_at, input, actor, created_at) VALUES (?, ?, 'maintenance', 'org', 'queued', 1, '{}', '{}', 1)",
  );
  for (const kind of ["audit.anchor", "audit.send-anchor", "backup.create"]) enqueue.run(`job_${kind}`, kind);
  await migrate(raw, "db/migrations");
  expect(raw.prepare("SELECT value FROM org_settings").pluck().all()).toEqual(['{"sessionTimeout":600}']);
  expect(raw.prepare("SELECT kind FROM jobs").pluck().all()).toEqual(["backup.create"]);
});
