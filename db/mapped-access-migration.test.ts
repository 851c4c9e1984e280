import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openConnection } from "~/core/db.server";
import { migrationsBefore } from "../tests/support/migrations";
import { migrate } from "./migrate";

it("knows from the audit trail who joined by a rule, and with which role", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-identities-"));
  const raw = openConnection(join(folder, "quarterdeck.sqlite"));
  try {
    await migrate(raw, migrationsBefore("mapped_access", folder));
    raw.exec("INSERT INTO organisations (id, name, created_at) VALUES ('org', 'Crew', 1)");
    const columns = raw.pragma("table_info(audit_entries)") as {
      name: string;
      notnull: number;
      pk: number;
      type: string;
    }[];
    const add = (name: string, role: string, details: string) => {
      raw
        .prepare(
          "INSERT INTO users (id, org_id, email, role, status, created_at, updated_at) VALUES (?, 'org', '', ?, 'active', 1, 1)",
        )
        .run(name, role);
      raw
        .prepare("INSERT INTO identities (issuer, subject, user_id, created_at) VALUES ('i', ?, ?, 1)")
        .run(name, name);
      const values: Record<string, unknown> = { id: name, user_id: name, action: "member.joined", details };
      const needed = columns.filter(({ pk, notnull }) => !pk && notnull);
      raw
        .prepare(
          `INSERT INTO audit_entries (${needed.map((column) => column.name)}) VALUES (${needed.map(() => "?")})`,
        )
        .run(needed.map((column) => values[column.name] ?? (column.type === "integer" ? 1 : "org")));
    };
    add("mapped", "admin", '{"method":"oauth","role":"admin"}');
    add("changed", "member", '{"method":"oauth","role":"admin"}');
    add("unmapped", "viewer", '{"method":"oauth","role":"viewer"}');
    add("invited", "admin", '{"method":"oauth"}');
    add("damaged", "admin", '{"method":');
    await migrate(raw, "db/migrations");
    expect(
      raw.prepare("SELECT user_id, admission, mapped_role FROM identities ORDER BY user_id").raw().all(),
    ).toEqual([
      ["changed", "rule", null],
      ["damaged", "manual", null],
      ["invited", "manual", null],
      ["mapped", "rule", "admin"],
      ["unmapped", "rule", null],
    ]);
  } finally {
    raw.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
