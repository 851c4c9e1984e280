import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { append, listAudit } from "~/platform/audit/audit.service.server";
import { replaceHead } from "~/platform/audit/audit-head.server";
import { verifyChain } from "~/platform/audit/verify.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import {
  dropSealed,
  exportSealed,
  listCheckpoints,
  sealBefore,
  sealRange,
} from "./checkpoints.service.server";
import { isTrailIntact } from "./trail.service.server";

describe("a sealed audit trail", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(async () => {
    test = openTestDatabase();
    for (let n = 1; n <= 5; n++) add(n);
    await replaceHead();
  });
  afterEach(() => test.close());
  afterAll(closeWorkerPools);
  const add = (n: number) =>
    transaction((tx) =>
      append(tx, test.actors.admin, { action: "kv.set", resource: `kv:${n}`, details: { name: "a" } }),
    );
  const exec = (sql: string) => rawDatabase().exec(sql);
  const positions = () => rawDatabase().prepare("SELECT seq FROM audit_entries ORDER BY seq").pluck().all();

  it("resumes from its checkpoint when its entries are dropped", async () => {
    expect(await sealRange(test.actors.owner, 3)).toMatchObject({ upToSeq: 3, entries: 3, droppedAt: null });
    expect(await verifyChain()).toMatchObject({ entries: 6 });
    expect(await dropSealed(test.actors.owner, 3)).toBe(3);
    expect(positions()).toEqual([4, 5, 6, 7]);
    expect(await verifyChain()).toMatchObject({ entries: 4, droppedUpTo: 3 });
    expect(await verifyChain()).not.toHaveProperty("brokenAt");
    expect(listAudit(test.actors.owner, { limit: 2 }).entries).toMatchObject([
      { action: "audit.dropped", details: { upTo: 3 } },
      { action: "audit.sealed", details: { upTo: 3, entries: 3 } },
    ]);
    expect(await sealRange(test.actors.owner, 6)).toMatchObject({ upToSeq: 6, entries: 3 });
    expect(await dropSealed(test.actors.owner, 6)).toBe(3);
    add(8);
    expect(await verifyChain()).toMatchObject({ entries: 4, droppedUpTo: 6 });
  });

  it("stays intact when the recorded newest entry was dropped", async () => {
    await sealRange(test.actors.owner, 5);
    await dropSealed(test.actors.owner, 5);
    expect(isTrailIntact()).toBe(true);
    expect(await verifyChain()).not.toHaveProperty("fault");
  });

  it("detects tampering after the checkpoint", async () => {
    await sealRange(test.actors.owner, 3);
    await dropSealed(test.actors.owner, 3);
    exec("UPDATE audit_entries SET user_id = 'usr_else' WHERE seq = 5");
    expect(await verifyChain()).toMatchObject({ entries: 1, brokenAt: 5 });
    exec("DELETE FROM audit_entries WHERE seq = 4");
    expect(await verifyChain()).toMatchObject({ entries: 0, brokenAt: 4 });
  });

  it.each([
    ["moved", "UPDATE audit_checkpoints SET up_to_seq = 4"],
    ["given another MAC", "UPDATE audit_checkpoints SET mac = 'x'"],
    ["given another time", "UPDATE audit_checkpoints SET dropped_at = 1"],
  ])("reports a fault when its checkpoint was %s", async (_, sql) => {
    await sealRange(test.actors.owner, 3);
    await dropSealed(test.actors.owner, 3);
    exec(sql);
    expect(await verifyChain()).toMatchObject({ brokenAt: 1, fault: "checkpoint_damaged" });
    expect(isTrailIntact()).toBe(false);
  });

  it("distinguishes deleted entries from dropped ones", async () => {
    await sealRange(test.actors.owner, 3);
    exec("DELETE FROM audit_entries WHERE seq <= 3");
    expect(await verifyChain()).toMatchObject({ brokenAt: 1 });
    exec("UPDATE audit_checkpoints SET dropped_at = 5");
    expect(await verifyChain()).toMatchObject({ fault: "checkpoint_damaged" });
  });

  it("can't be sealed or dropped unless intact", async () => {
    await sealRange(test.actors.owner, 2);
    exec("UPDATE audit_entries SET user_id = 'usr_else' WHERE seq = 4");
    await expect(sealRange(test.actors.owner, 5)).rejects.toMatchObject({ code: "conflict" });
    await expect(dropSealed(test.actors.owner, 2)).rejects.toMatchObject({ code: "conflict" });
    expect(positions()).toHaveLength(6);
  });

  it("requires an owner and an entry newer than the last checkpoint", async () => {
    await expect(sealRange(test.actors.admin, 3)).rejects.toMatchObject({ code: "forbidden" });
    await sealRange(test.actors.owner, 3);
    await expect(sealRange(test.actors.owner, 3)).rejects.toThrow("Choose an entry from 4 to 6.");
    await expect(sealRange(test.actors.owner, 9)).rejects.toMatchObject({ code: "invalid" });
    await expect(dropSealed(test.actors.admin, 3)).rejects.toMatchObject({ code: "forbidden" });
    await expect(dropSealed(test.actors.owner, 4)).rejects.toMatchObject({ code: "not_found" });
  });

  it("seals up to a day and lists the checkpoint", async () => {
    setClock(() => Date.now() + 3 * 24 * 60 * 60_000);
    add(6);
    const day = new Date(Date.now() + 24 * 60 * 60_000).toISOString().slice(0, 10);
    expect(await sealBefore(test.actors.owner, { before: day })).toMatchObject({ upToSeq: 5, entries: 5 });
    expect(() => sealBefore(test.actors.owner, { before: day })).toThrow("Choose a later day");
    expect(() => listCheckpoints(test.actors.admin)).toThrow("Only owners");
    expect(listCheckpoints(test.actors.owner)).toMatchObject([{ upToSeq: 5, droppedAt: null }]);
    setClock();
  });

  it("exports as JSON lines", async () => {
    await sealRange(test.actors.owner, 3);
    const lines: string[] = [];
    for await (const line of exportSealed(test.actors.owner, 3)) lines.push(line);
    expect(lines.map((line) => (JSON.parse(line) as unknown[])[0])).toEqual([1, 2, 3]);
  });
});
