import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { mountDisk, whyNoDisk } from "../../tests/support/small-disk";
import { startCheckpoints } from "./checkpoints.server";
import { openConnection, rawDatabase, setDatabase, transaction } from "./db.server";
import { log } from "./log.server";
import { storageError } from "./storage-faults.server";

describe("checkpoints in a thread", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    rawDatabase().exec("CREATE TABLE bulk (bytes blob)");
  });
  afterEach(() => test.close());

  const write = () => {
    const insert = rawDatabase().prepare("INSERT INTO bulk VALUES (zeroblob(?))");
    for (let n = 0; n < 30; n++) transaction(() => insert.run(20_000));
  };

  it("copy the log into the file without the writer", async () => {
    const stop = startCheckpoints({ everyMs: 5, logBytes: 1000 });
    const before = statSync(rawDatabase().name).size;
    write();
    await expect
      .poll(() => statSync(rawDatabase().name).size, {
        timeout: 25_000,
      })
      .toBeGreaterThan(before + 500_000);
    await stop();
    expect(rawDatabase().prepare("SELECT count(*) FROM bulk").pluck().get()).toBe(30);
  });

  it("leave a short log alone, and the writer its own checkpoint", async () => {
    const stop = startCheckpoints({ everyMs: 5, logBytes: 100_000_000 });
    expect(rawDatabase().pragma("wal_autocheckpoint", { simple: true })).toBe(8000);
    const before = statSync(rawDatabase().name).size;
    write();
    await stop();
    expect(statSync(rawDatabase().name).size).toBe(before);
  });

  it.skipIf(whyNoDisk())("go on after a full disk, which had no room for the log's new pages", async () => {
    const disk = mountDisk("size=40m");
    const file = join(disk.folder, "copy.sqlite");
    rawDatabase().pragma("wal_checkpoint(TRUNCATE)");
    copyFileSync(rawDatabase().name, file);
    rawDatabase().close();
    setDatabase(openConnection(file));
    const refused = vi.spyOn(log, "warn").mockReturnValue();
    const stop = startCheckpoints({ everyMs: 5, logBytes: 100_000_000 });
    const before = statSync(file).size;
    write();
    disk.fill();
    storageError("disk_full");
    await expect
      .poll(() => refused.mock.calls.join(), {
        timeout: 25_000,
      })
      .toContain("can't be copied");
    expect(statSync(file).size).toBe(before);
    disk.free();
    storageError("disk_full");
    await expect
      .poll(() => statSync(file).size, {
        timeout: 25_000,
      })
      .toBeGreaterThan(before + 500_000);
    await stop();
    refused.mockRestore();
    rawDatabase().close();
    disk.unmount();
  });
});
