import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TestServer } from "../support/server";

/**
 * The data folder of a server that was killed before documents' jobs were jobs like all others: three documents ready,
 * one failed, two being ingested and ten waiting, a conversation, and an audit trail of the first version.
 */
const FOLDER = "tests/fixtures/data-folder-0015.tar.gz";
const AUDIT_KEY = "the key of the upgrade test, 0123456789abcdef";

let dataDir: string;
let server: TestServer | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "quarterdeck-upgrade-"));
  execFileSync("tar", ["-xzf", FOLDER, "-C", dataDir]);
});
afterEach(async () => {
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Reads the file beside the running server. */
function rows(sql: string): unknown[][] {
  const file = new Database(join(dataDir, "quarterdeck.sqlite"), { readonly: true });
  try {
    return file.prepare(sql).raw().all() as unknown[][];
  } finally {
    file.close();
  }
}

/** Runs `npm run audit:verify`'s program. */
function verifyTrail(): string {
  const { stdout, stderr } = spawnSync(process.execPath, [resolve("build/audit-verify.mjs")], {
    cwd: dataDir,
    env: { NODE_ENV: "production", DATA_DIR: dataDir, AUDIT_KEY },
    encoding: "utf8",
  });
  return stdout + stderr;
}

it("continues with a data folder of an earlier version, and loses no document, job or message", async () => {
  const messages = rows("SELECT id, parts FROM messages ORDER BY id");
  const failed = rows("SELECT id FROM ingest_jobs WHERE state = 'failed'");
  const waiting = rows("SELECT id FROM ingest_jobs WHERE state IN ('queued', 'running') ORDER BY id");
  expect(waiting).toHaveLength(12);
  server = new TestServer(dataDir, { AUDIT_KEY }, {});
  await server.start();
  const [copy] = readdirSync(join(dataDir, "snapshots"));
  expect(server.output).toMatch(
    /^Updating the database \S+\/quarterdeck\.sqlite \(\d+ migrations\)\. A copy from before is kept: /,
  );
  expect(server.output.split("\n")[0]).toContain(join(dataDir, "snapshots", copy ?? ""));
  await vi.waitFor(
    () =>
      expect(rows("SELECT status, count(*) FROM documents GROUP BY status ORDER BY status")).toEqual([
        ["failed", 1],
        ["ready", 15],
      ]),
    { timeout: 60_000, interval: 200 },
  );
  const ids = waiting.map(([id]) => `'${id}'`).join();
  expect(rows(`SELECT DISTINCT state FROM jobs WHERE id IN (${ids})`)).toEqual([["succeeded"]]);
  expect(rows("SELECT id FROM jobs WHERE state = 'failed'")).toEqual(failed);
  expect(rows("SELECT id, parts FROM messages ORDER BY id")).toEqual(messages);
  const health = (await (await server.ask("/api/health")).json()) as unknown;
  expect(health).toMatchObject({ status: "ok" });
  // Entries of the first form still verify, and those of the second behind them.
  const forms = rows("SELECT version, count(*) FROM audit_entries GROUP BY version ORDER BY version");
  expect(forms).toEqual([
    [1, expect.any(Number)],
    [2, expect.any(Number)],
  ]);
  expect(verifyTrail()).toMatch(/^OK: /);
  const raw = new Database(join(dataDir, "quarterdeck.sqlite"));
  raw.exec("UPDATE audit_entries SET address = '203.0.113.9' WHERE seq = 2");
  raw.close();
  expect(verifyTrail()).toMatch(/^BROKEN at entry 2:/);
});
