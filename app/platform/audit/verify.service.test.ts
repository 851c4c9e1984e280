import { createHmac } from "node:crypto";
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchAuditHead } from "~/console/audit/background.service.server";
import {
  acceptTrail,
  checkTrail,
  isTrailIntact,
  readTrailProblem,
} from "~/console/audit/trail.service.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../tests/support/database";
import { append, listAudit } from "./audit.service.server";
import { findTrailFault, replaceHead } from "./audit-head.server";
import { chainKey } from "./chain.server";
import { chainKeyFingerprint, continueRestoredTrail, verifyChain } from "./verify.service.server";

describe("the check of the audit trail", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let stop: (() => Promise<void>) | undefined;
  beforeEach(async () => {
    test = openTestDatabase();
    for (let n = 0; n < 5; n++) add({ n, gone: undefined });
    await replaceHead();
  });
  afterEach(async () => {
    await stop?.();
    stop = undefined;
    test.close();
  });
  afterAll(closeWorkerPools);

  const file = () => join(test.folder, "audit.head");
  const add = (details: Record<string, unknown> = {}) =>
    transaction((tx) =>
      append(tx, test.actors.admin, {
        action: "persona.created",
        resource: "persona:y",
        details: { name: "Analyst", ...details },
        before: { a: 1 },
        after: { a: 2 },
      }),
    );
  const start = async () => {
    stop = await watchAuditHead();
  };
  const restart = async () => {
    await stop?.();
    await start();
  };
  const cut = () => {
    rawDatabase().exec("DELETE FROM audit_entries WHERE seq > 3");
    // An attacker would also reset the counter, leaving no gap.
    rawDatabase().exec("UPDATE sqlite_sequence SET seq = 3 WHERE name = 'audit_entries'");
  };
  const intact = (entries: number) => ({ entries, lastTime: expect.any(Number) });

  it("reports the first broken entry to admins and records the check", async () => {
    const { admin, member } = test.actors;
    await expect(checkTrail(member)).rejects.toThrow("Only admins and owners");
    expect(await checkTrail(admin)).toMatchObject({ entries: 5, brokenAt: null, broken: null });
    expect(listAudit(admin, { limit: 1 }).entries).toMatchObject([
      { action: "audit.verified", details: { entries: 5 } },
    ]);
    rawDatabase().exec('UPDATE audit_entries SET details = \'{"name":"Other"}\' WHERE seq = 3');
    const broken = { action: "persona.created", details: { name: "Other" } };
    expect(await checkTrail(admin)).toMatchObject({ entries: 2, brokenAt: 3, broken });
  });

  it.each([
    ["goes on where it is whole", "seq > 4", true],
    ["shows the fault where an entry is missing", "seq > 4 OR seq = 2", false],
  ])("after a restore %s", async (_, missing, intact) => {
    // The backup lacks the newest entries, which audit.head names.
    rawDatabase().exec(`DELETE FROM audit_entries WHERE ${missing}`);
    rawDatabase().exec("UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit_entries'");
    const fault = await continueRestoredTrail(chainKeyFingerprint(), (tx) =>
      append(tx, test.actors.owner, { action: "audit.verified", resource: "audit", details: { entries: 4 } }),
    );
    expect(isTrailIntact()).toBe(intact);
    expect(fault).toEqual(
      intact ? undefined : expect.stringMatching(/^Entry \d of the restored audit trail/),
    );
    if (!intact) await acceptTrail(test.actors.owner);
    expect(isTrailIntact()).toBe(true);
  });

  it("finds no fault in an unchanged trail", async () => {
    expect(await verifyChain()).toEqual(intact(5));
  });

  it.each([
    ["an altered row", "UPDATE audit_entries SET details = '{\"n\":9}' WHERE seq = 3", 3],
    ["a blank in its details", "UPDATE audit_entries SET details = '{\"n\": 2}' WHERE seq = 3", 3],
    ["bytes that are no text", "UPDATE audit_entries SET resource = cast(x'eda0' as text) WHERE seq = 3", 3],
    ["another author", "UPDATE audit_entries SET user_id = 'usr_owner' WHERE seq = 2", 2],
    ["a deleted row", "DELETE FROM audit_entries WHERE seq = 4", 4],
    ["another address", "UPDATE audit_entries SET address = '203.0.113.9' WHERE seq = 2", 2],
    ["another kind of actor", "UPDATE audit_entries SET actor_kind = 'job' WHERE seq = 2", 2],
    ["another value before", 'UPDATE audit_entries SET "before" = \'{"a":2}\' WHERE seq = 2', 2],
    ["a value after that is gone", 'UPDATE audit_entries SET "after" = NULL WHERE seq = 2', 2],
    ["an older form", "UPDATE audit_entries SET version = 1 WHERE seq = 2", 2],
    ["a newer form", "UPDATE audit_entries SET version = 3 WHERE seq = 2", 2],
    [
      "swapped macs",
      "UPDATE audit_entries SET mac = (SELECT mac FROM audit_entries WHERE seq = 1) WHERE seq = 2",
      2,
    ],
    [
      "an inserted row",
      `UPDATE audit_entries SET seq = seq + 100 WHERE seq > 2;
       UPDATE audit_entries SET seq = seq - 99 WHERE seq > 100;
       CREATE TEMP TABLE copied AS SELECT * FROM audit_entries WHERE seq = 2;
       UPDATE copied SET seq = 3, id = 'aud_inserted';
       INSERT INTO audit_entries SELECT * FROM copied`,
      3,
    ],
    [
      "two rows in another order",
      `UPDATE audit_entries SET seq = 99 WHERE seq = 2;
       UPDATE audit_entries SET seq = 2 WHERE seq = 3;
       UPDATE audit_entries SET seq = 3 WHERE seq = 99`,
      2,
    ],
  ])("names the first entry that %s breaks", async (_, sql, brokenAt) => {
    rawDatabase().exec(sql);
    expect(await verifyChain()).toMatchObject({
      entries: brokenAt - 1,
      brokenAt,
      brokenTime: expect.any(Number),
    });
  });

  describe("of entries with lone surrogates stored as WTF-8", () => {
    /** Halves of characters have bytes of their own in it, where UTF-8 has none. */
    const wtf8 = (text: string) =>
      Buffer.concat(
        Array.from(text, (character) => {
          const code = character.codePointAt(0) ?? 0;
          if (code < 0xd800 || code > 0xdfff) return Buffer.from(character);
          return Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]);
        }),
      );
    /** Writes an entry as versions until 2026-11 did. */
    const addOld = (resource: string, details: object) => {
      const last = rawDatabase().prepare("SELECT mac FROM audit_entries ORDER BY seq DESC").get() as {
        mac: string;
      };
      const fields = [last.mac, 6, "aud_old", "org_test", "usr_admin", "kv.set", resource, details, null, 7];
      const mac = createHmac("sha256", chainKey()).update(JSON.stringify(fields)).digest("base64url");
      rawDatabase()
        .prepare(
          `INSERT INTO audit_entries (seq, id, org_id, user_id, action, resource, details, created_at, mac)
           VALUES (6, 'aud_old', 'org_test', 'usr_admin', 'kv.set', cast(? as text), ?, 7, ?)`,
        )
        .run(wtf8(resource), JSON.stringify(details), mac);
    };

    it.each(["\ud800", "a\udc00b\ud83d", "\udc00\ud800", "\ud800\ud800\u{1f600}", "\ufffd\ud800\u00ed"])(
      "finds nothing",
      async (text) => {
        addOld(`kv:${text}`, { name: text, [text]: 1 });
        await replaceHead();
        expect(await verifyChain()).toEqual(intact(6));
        add();
        expect(await verifyChain()).toEqual(intact(7));
      },
    );

    it.each([
      ["what they are read as", "kv:\ufffd\ufffd\ufffd"],
      ["a replacement character", "kv:\ufffd"],
    ])("reports an entry whose bytes became %s", async (_, resource) => {
      addOld("kv:\ud800", {});
      rawDatabase().prepare("UPDATE audit_entries SET resource = ? WHERE seq = 6").run(resource);
      expect(await verifyChain()).toMatchObject({ brokenAt: 6 });
    });

    it("reports an entry with an added column of the newer form", async () => {
      addOld("kv:a", {});
      rawDatabase().exec("UPDATE audit_entries SET address = '203.0.113.9' WHERE seq = 6");
      expect(await verifyChain()).toMatchObject({ brokenAt: 6 });
    });

    it("reports an entry with split surrogates", async () => {
      addOld("kv:\u{1f600}", {});
      expect(await verifyChain()).toEqual(intact(6));
      rawDatabase().exec(
        "UPDATE audit_entries SET resource = cast(x'6b763aeda0bdedb880' as text) WHERE seq = 6",
      );
      expect(await verifyChain()).toMatchObject({ brokenAt: 6 });
    });
  });

  describe("with the head recorded outside the database", () => {
    it("finds no fault with entries newer than the recorded head", async () => {
      add();
      expect(await verifyChain()).toEqual(intact(6));
      await start();
      expect(await verifyChain()).toEqual(intact(6));
      expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({ seq: 6 });
      expect(statSync(file()).mode & 0o777).toBe(0o600);
      expect(isTrailIntact()).toBe(true);
    });

    it("detects deleted newest entries even after later recordings", async () => {
      cut();
      const found = { ...intact(3), brokenAt: 4, fault: "entries_missing" };
      expect(await verifyChain()).toEqual(found);
      await start();
      expect(isTrailIntact()).toBe(false);
      await restart();
      // Its database may have been replaced meanwhile.
      expect(await verifyChain()).toEqual({ ...found, fault: "unclean_end" });
    });

    it("detects deleted entries that were replaced", async () => {
      cut();
      for (let count = 0; count < 4; count += 1) add();
      const found = { ...intact(7), brokenAt: 5, fault: "entries_missing" };
      expect(await verifyChain()).toEqual(found);
      await start();
      expect(await verifyChain()).toEqual({ ...found, fault: "unclean_end" });
    });

    it("rejects a head that was signed without the key", async () => {
      const head = JSON.parse(readFileSync(file(), "utf8")) as object;
      cut();
      writeFileSync(file(), JSON.stringify({ ...head, seq: 3 }));
      expect(await verifyChain()).toEqual({ ...intact(3), brokenAt: 4, fault: "head_damaged" });
      await start();
      expect(readTrailProblem(test.actors.admin)?.code).toBe("head_damaged");
    });

    it.each([
      ["the newest entries", cut],
      ["nothing else", () => undefined],
      ["every entry", () => rawDatabase().exec("DELETE FROM audit_entries; DELETE FROM sqlite_sequence")],
    ])("reports a missing head when %s was deleted", async (_, change) => {
      change();
      rmSync(file());
      expect(await verifyChain()).toMatchObject({ fault: "head_missing" });
      await start();
      await restart();
      expect(await verifyChain()).toMatchObject({ fault: "head_missing" });
      expect(readTrailProblem(test.actors.admin)).toMatchObject({ code: "head_missing", canAccept: false });
      expect(readTrailProblem(test.actors.member)).toBeUndefined();
    });

    it("rewrites a head that disappears while the console runs", async () => {
      await start();
      add();
      rmSync(file());
      expect(isTrailIntact()).toBe(true);
      await stop?.();
      stop = undefined;
      expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({ seq: 6 });
      expect(await verifyChain()).toEqual(intact(6));
    });

    it("rejects an older head while the console runs", async () => {
      copyFileSync(file(), `${file()}.old`);
      add();
      await start();
      rawDatabase().exec("DELETE FROM audit_entries WHERE seq > 5");
      copyFileSync(`${file()}.old`, file());
      expect(readTrailProblem(test.actors.owner)?.code).toBe("entries_missing");
    });

    it("tells an end in order, a cut one and another start apart where the newest entry is missing", async () => {
      const head = () => JSON.parse(readFileSync(file(), "utf8")) as object;
      await start();
      expect(head()).toMatchObject({ starts: 1, isEnd: false });
      const cutOff = readFileSync(file());
      await stop?.();
      stop = undefined;
      expect(head()).toMatchObject({ starts: 1, isEnd: true });
      cut();
      const faults = async () => [findTrailFault(), (await verifyChain()).fault];
      expect(await faults()).toEqual(["entries_missing", "entries_missing"]);
      // As after a kill, of which a replica lacks the end.
      writeFileSync(file(), cutOff);
      expect(await faults()).toEqual(["unclean_end", "unclean_end"]);
      rawDatabase().exec("UPDATE audit_starts SET count = 0");
      expect(await faults()).toEqual(["other_start", "other_start"]);
      await start();
      expect(readTrailProblem(test.actors.owner)).toMatchObject({ code: "other_start", canAccept: true });
      rawDatabase().exec("ALTER TABLE audit_starts RENAME TO later");
      expect((await verifyChain()).fault, "an older version's database").toBe("other_start");
      rawDatabase().exec("ALTER TABLE later RENAME TO audit_starts");
      // A start with a fault isn't counted, so that the next one says the same.
      await restart();
      expect(readTrailProblem(test.actors.owner)?.code).toBe("other_start");
      await acceptTrail(test.actors.owner);
      await restart();
      expect(findTrailFault()).toBeUndefined();
      expect(head()).toMatchObject({ starts: 1 });
    });

    it("names the head's fault where the newest entry's details can't be read", async () => {
      await start();
      rawDatabase().exec("UPDATE audit_entries SET details = '{' WHERE seq = 5");
      expect(findTrailFault()).toBeUndefined();
      await restart();
      expect(findTrailFault()).toBeUndefined();
    });

    it("lets an owner accept the trail and records it", async () => {
      cut();
      rmSync(file());
      await start();
      await expect(acceptTrail(test.actors.admin)).rejects.toThrow("Only owners");
      expect(readTrailProblem(test.actors.owner)?.canAccept).toBe(true);
      await acceptTrail(test.actors.owner);
      expect(listAudit(test.actors.owner, { limit: 1 }).entries[0]).toMatchObject({
        action: "audit.accepted",
        userId: "usr_owner",
        details: { reason: "head_missing", entries: 3 },
      });
      expect(isTrailIntact()).toBe(true);
      expect(await verifyChain()).toEqual(intact(4));
      await restart();
      add();
      expect(isTrailIntact()).toBe(true);
      await expect(acceptTrail(test.actors.owner)).rejects.toThrow("nothing to accept");
    });
  });
});

describe("an unused console", () => {
  it("has an intact trail and records its head", async () => {
    const test = openTestDatabase();
    rawDatabase().exec("DELETE FROM users; DELETE FROM organisations");
    expect(await verifyChain()).toEqual({ entries: 0 });
    const stop = await watchAuditHead();
    expect(JSON.parse(readFileSync(join(test.folder, "audit.head"), "utf8"))).toMatchObject({ seq: 0 });
    expect(await verifyChain()).toEqual({ entries: 0 });
    await stop();
    rmSync(join(test.folder, "audit.key"));
    expect(await verifyChain()).toEqual({ entries: 0 });
    await closeWorkerPools();
    test.close();
  });
});
