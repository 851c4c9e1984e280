import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openConnection } from "~/core/db.server";
import { migrationsBefore } from "../tests/support/migrations";
import { migrate } from "./migrate";

const MIGRATION = "message_branches";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-branches-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("chains the messages of an installation's data file, and keeps replaced answers as variants", async () => {
  execFileSync("tar", ["-xzf", "tests/fixtures/data-folder-0015.tar.gz", "-C", folder]);
  const raw = openConnection(join(folder, "quarterdeck.sqlite"));
  try {
    await migrate(raw, migrationsBefore(MIGRATION, folder));
    const [stored] = raw.prepare("SELECT id, org_id, user_id FROM conversations").raw().all() as string[][];
    const [before, orgId, userId] = stored ?? [];
    const linear = raw.prepare("SELECT id FROM messages WHERE conversation_id = ? ORDER BY position").pluck();
    const ids = linear.all(before) as string[];
    expect(ids.length).toBeGreaterThan(1);
    raw
      .prepare(
        `INSERT INTO conversations (id, org_id, user_id, title, model, created_at, updated_at)
         VALUES (?, '${orgId}', '${userId}', 'T', 'm', 1, 1)`,
      )
      .run("con_again");
    raw
      .prepare(
        `INSERT INTO conversations (id, org_id, user_id, title, model, created_at, updated_at)
         VALUES (?, '${orgId}', '${userId}', 'T', 'm', 1, 1)`,
      )
      .run("con_empty");
    const add = raw.prepare(
      `INSERT INTO messages (id, conversation_id, position, role, status, parts, superseded_at, created_at)
       VALUES (?, 'con_again', ?, ?, 'complete', '[]', ?, 1)`,
    );
    add.run("ask", 1, "user", null);
    add.run("first", 2, "assistant", 9);
    add.run("second", 3, "assistant", 9);
    add.run("third", 4, "assistant", null);
    add.run("more", 5, "user", null);
    add.run("old", 6, "assistant", 9);
    add.run("new", 7, "assistant", null);
    await migrate(raw, "db/migrations");

    const parents = raw.prepare(
      "SELECT id, parent_id FROM messages WHERE conversation_id = ? ORDER BY position",
    );
    expect(parents.raw().all(before)).toEqual(ids.map((id, index) => [id, ids[index - 1] ?? null]));
    expect(parents.raw().all("con_again")).toEqual([
      ["ask", null],
      ["first", "ask"],
      ["second", "ask"],
      ["third", "ask"],
      ["more", "third"],
      ["old", "more"],
      ["new", "more"],
    ]);
    const active = raw.prepare("SELECT active_message_id FROM conversations WHERE id = ?").pluck();
    expect([before, "con_again", "con_empty"].map((id) => active.get(id))).toEqual([ids.at(-1), "new", null]);
    expect(raw.pragma("foreign_key_check")).toEqual([]);
  } finally {
    raw.close();
  }
});
