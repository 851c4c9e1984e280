import { statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { startCheckpoints } from "./checkpoints.server";
import { rawDatabase, transaction } from "./db.server";

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
    await vi.waitFor(() => expect(statSync(rawDatabase().name).size).toBeGreaterThan(before + 500_000), {
      timeout: 10_000,
    });
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
});
