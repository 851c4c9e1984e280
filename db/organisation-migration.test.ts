import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openConnection } from "~/core/db.server";
import { migrationsBefore } from "../tests/support/migrations";
import { migrate } from "./migrate";

const MIGRATION = "organisation";

let folder: string;
let raw: Database.Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-organisation-"));
  raw = openConnection(join(folder, "quarterdeck.sqlite"));
});
afterEach(() => {
  raw.close();
  rmSync(folder, { recursive: true, force: true });
});

it("gives restricted documents of removed people to the first owner, and leaves all others", async () => {
  await migrate(raw, migrationsBefore(MIGRATION, folder));
  raw.exec(`
    INSERT INTO organisations (id, name, created_at) VALUES ('org', 'Crew', 1);
    INSERT INTO users (id, org_id, email, role, status, created_at, updated_at) VALUES
      ('gone', 'org', 'gone@example.org', 'member', 'removed', 1, 1),
      ('late', 'org', 'late@example.org', 'owner', 'active', 5, 5),
      ('first', 'org', 'first@example.org', 'owner', 'active', 2, 2),
      ('former', 'org', 'former@example.org', 'owner', 'removed', 1, 1),
      ('here', 'org', 'here@example.org', 'member', 'active', 3, 3);
    INSERT INTO document_categories (id, org_id, name, position, created_at) VALUES ('cat', 'org', 'Plans', 0, 1);
  `);
  const add = raw.prepare(
    `INSERT INTO documents (id, org_id, name, type, source, category_id, status, visibility, created_by, created_at, updated_at)
     VALUES (?, 'org', ?, 'text', '', 'cat', 'ready', ?, ?, 1, 1)`,
  );
  add.run("orphan", "Layoffs", "named", "gone");
  add.run("open", "Menu", "organisation", "gone");
  add.run("own", "Diary", "named", "here");
  raw.exec("INSERT INTO document_readers (document_id, user_id) VALUES ('orphan', 'here')");
  await migrate(raw, "db/migrations");
  expect(raw.prepare("SELECT id, created_by FROM documents ORDER BY id").raw().all()).toEqual([
    ["open", "gone"],
    ["orphan", "first"],
    ["own", "here"],
  ]);
  expect(
    raw
      .prepare("SELECT user_id FROM document_viewers WHERE document_id = 'orphan' ORDER BY user_id")
      .pluck()
      .all(),
  ).toEqual(["first", "here"]);
  expect(raw.pragma("foreign_key_check")).toEqual([]);
});
