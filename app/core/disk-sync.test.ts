import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiskSync } from "./disk-sync.server";

describe("syncing a file in a thread", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "quarterdeck-sync-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const synced = (sync: DiskSync) => new Promise<unknown>((done) => sync.request(done));

  it("completes every request in order, also those made during a sync or before closing", async () => {
    const file = join(folder, "log");
    writeFileSync(file, "x");
    const sync = new DiskSync(file);
    const order: number[] = [];
    const requests = [1, 2, 3].map(async (n) => {
      expect(await synced(sync)).toBeNull();
      order.push(n);
    });
    sync.close();
    await Promise.all(requests);
    expect(order).toEqual([1, 2, 3]);
  });

  it("reports a file that can't be opened, and syncs it once it can", async () => {
    const file = join(folder, "log");
    const sync = new DiskSync(file);
    expect(await synced(sync)).toBeInstanceOf(Error);
    writeFileSync(file, "x");
    expect(await synced(sync)).toBeNull();
    sync.close();
  });
});
