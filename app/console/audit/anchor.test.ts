import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { closeDatabase, openConnection, rawDatabase, setDatabase, transaction } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { append } from "~/platform/audit/audit.service.server";
import { forgetHead, replaceHead } from "~/platform/audit/audit-head.server";
import { openTestDatabase } from "../../../tests/support/database";
import { addAnchor } from "./anchor.server";
import { dropSealed, sealRange } from "./checkpoints.service.server";
import { acceptTrail } from "./trail.service.server";
import { verifyChain } from "./verify.service.server";

describe("an audit trail that is anchored outside the data folder", () => {
  let outside: string;
  let anchors: string;
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(async () => {
    outside = mkdtempSync(join(tmpdir(), "quarterdeck-anchor-"));
    anchors = join(outside, "kept", "anchors.ndjson");
    test = openTestDatabase({ AUDIT_ANCHOR: anchors });
    for (let n = 1; n <= 3; n++) add(n);
    await replaceHead();
  });
  afterEach(() => {
    forgetHead();
    test.close();
    rmSync(outside, { recursive: true });
  });
  afterAll(closeWorkerPools);
  const add = (n: number) =>
    transaction((tx) =>
      append(tx, test.actors.admin, { action: "kv.set", resource: `kv:${n}`, details: { name: "a" } }),
    );
  const database = () => rawDatabase().name;

  async function swapAfter(change: () => Promise<void>) {
    rawDatabase().pragma("wal_checkpoint(TRUNCATE)");
    copyFileSync(database(), join(outside, "copy.sqlite"));
    await change();
    const file = database();
    closeDatabase();
    for (const ending of ["-wal", "-shm"]) rmSync(file + ending, { force: true });
    copyFileSync(join(outside, "copy.sqlite"), file);
    setDatabase(openConnection(file));
    for (let n = 7; n <= 9; n++) add(n);
    await replaceHead();
  }

  it("is intact with newer entries and after anchored entries were dropped", async () => {
    await addAnchor();
    add(4);
    await addAnchor();
    expect(readFileSync(anchors, "utf8").trimEnd().split("\n")).toHaveLength(2);
    expect(await verifyChain()).toMatchObject({ entries: 4 });
    expect(await verifyChain()).not.toHaveProperty("fault");
    await sealRange(test.actors.owner, 4);
    await dropSealed(test.actors.owner, 4);
    expect(await verifyChain()).not.toHaveProperty("fault");
  });

  it("detects a replaced data folder", async () => {
    await swapAfter(async () => {
      add(4);
      await addAnchor();
    });
    expect(await verifyChain()).toMatchObject({ entries: 6, brokenAt: 4, fault: "anchor_moved" });
    await acceptTrail(test.actors.owner);
    expect(await verifyChain()).not.toHaveProperty("fault");
  });

  it("detects a changed anchor but tolerates one truncated by a crash", async () => {
    await addAnchor();
    appendFileSync(anchors, '{"at":"2026');
    expect(await verifyChain()).not.toHaveProperty("fault");
    appendFileSync(anchors, '"}\n');
    expect(await verifyChain()).toMatchObject({ fault: "anchor_damaged" });
  });
});
