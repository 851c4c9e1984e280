import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { append, listAudit, verifyChain } from "./audit.service.server";
import { watchAuditHead } from "./audit-watch.service.server";

describe("the audit trail", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    transaction((tx) => {
      for (let n = 0; n < 5; n++) {
        const actor = n % 2 ? test.actors.member : test.actors.admin;
        append(tx, actor, {
          action: "persona.created",
          resource: `persona:${n}`,
          details: { n, gone: undefined },
        });
      }
    });
  });
  afterEach(() => test.close());

  it("verifies when nobody touched it", () => {
    expect(verifyChain()).toEqual({ entries: 5 });
  });

  it.each([
    ["an altered row", "UPDATE audit_entries SET details = '{\"n\":9}' WHERE seq = 3", 3],
    ["another author", "UPDATE audit_entries SET user_id = 'usr_owner' WHERE seq = 2", 2],
    ["a deleted row", "DELETE FROM audit_entries WHERE seq = 4", 4],
    [
      "swapped macs",
      "UPDATE audit_entries SET mac = (SELECT mac FROM audit_entries WHERE seq = 1) WHERE seq = 2",
      2,
    ],
  ])("tells the first entry that %s breaks", (_, sql, brokenAt) => {
    rawDatabase().exec(sql);
    expect(verifyChain()).toMatchObject({ brokenAt });
  });

  describe("with its head noted outside the database", () => {
    const note = () => watchAuditHead()();
    const file = () => join(test.folder, "audit.head");
    const add = () =>
      transaction((tx) =>
        append(tx, test.actors.admin, { action: "persona.created", resource: "persona:y" }),
      );
    const cut = () => {
      rawDatabase().exec("DELETE FROM audit_entries WHERE seq > 3");
      // Who cuts the end off also sets the counter back, so that what is added follows without a gap.
      rawDatabase().exec("UPDATE sqlite_sequence SET seq = 3 WHERE name = 'audit_entries'");
    };

    it("verifies, also with entries that are newer than the note", async () => {
      await note();
      add();
      expect(verifyChain()).toEqual({ entries: 6 });
      await note();
      expect(verifyChain()).toEqual({ entries: 6 });
      expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({ seq: 6 });
      expect(statSync(file()).mode & 0o777).toBe(0o600);
    });

    it("tells that the newest entries were deleted, however often it is noted afterwards", async () => {
      await note();
      cut();
      expect(verifyChain()).toEqual({ entries: 3, brokenAt: 4 });
      await note();
      expect(verifyChain()).toEqual({ entries: 3, brokenAt: 4 });
    });

    it("tells that others took the place of the deleted ones", async () => {
      await note();
      cut();
      for (let count = 0; count < 4; count += 1) add();
      expect(verifyChain()).toEqual({ entries: 7, brokenAt: 5 });
      await note();
      expect(verifyChain()).toEqual({ entries: 7, brokenAt: 5 });
    });

    it("takes no note that was made without the key", async () => {
      await note();
      const head = JSON.parse(readFileSync(file(), "utf8")) as object;
      cut();
      writeFileSync(file(), JSON.stringify({ ...head, seq: 3 }));
      expect(verifyChain()).toEqual({ entries: 3, brokenAt: 4 });
    });
  });

  it("rolls back with the change it tells of", () => {
    expect(() =>
      transaction((tx) => {
        append(tx, test.actors.admin, { action: "persona.created", resource: "persona:x" });
        throw new Error("refused");
      }),
    ).toThrow("refused");
    expect(verifyChain()).toEqual({ entries: 5 });
  });

  it("shows a member their own entries and an admin all, page by page", () => {
    expect(listAudit(test.actors.member, { limit: 10 }).entries.map((entry) => entry.resource)).toEqual([
      "persona:3",
      "persona:1",
    ]);
    const first = listAudit(test.actors.admin, { limit: 3 });
    expect(first.entries.map((entry) => entry.resource)).toEqual(["persona:4", "persona:3", "persona:2"]);
    const second = listAudit(test.actors.admin, { limit: 3, ...(first.next ? { cursor: first.next } : {}) });
    expect(second.entries.map((entry) => entry.resource)).toEqual(["persona:1", "persona:0"]);
    expect(second.next).toBeUndefined();
  });

  it("refuses a cursor that isn't one", () => {
    expect(() => listAudit(test.actors.admin, { limit: 3, cursor: "!" })).toThrow("not one of this list");
  });
});
