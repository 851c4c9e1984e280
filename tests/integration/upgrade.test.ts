import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startMockServer } from "../support/mock-server";
import { TestServer } from "../support/server";

/**
 * The data folder of a server that was killed before documents' jobs were jobs like all others: three documents ready,
 * one failed, two being ingested and ten waiting, a conversation, and an audit trail of the first version.
 */
const WITH_DOCUMENTS = "tests/fixtures/data-folder-0015.tar.gz";
/**
 * Of a later server that was killed: runs in every state, ten of which call an address and three wait for their turn; two
 * documents being ingested and four waiting; and two settings that are gone since.
 */
const WITH_RUNS = "tests/fixtures/data-folder-0046.tar.gz";
/** Of the address that its runs call. */
const CALLED_PORT = "47811";
const AUDIT_KEY = "the key of the upgrade test, 0123456789abcdef";
const SECRETS = { AUDIT_KEY, SESSION_SECRET: AUDIT_KEY };

let dataDir: string;
let server: TestServer | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "quarterdeck-upgrade-"));
});
afterEach(async () => {
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const unpack = (folder: string) => void execFileSync("tar", ["-xzf", folder, "-C", dataDir]);

/** Reads the file beside the running server. */
function rows(sql: string, ...values: string[]): unknown[][] {
  const file = new Database(join(dataDir, "quarterdeck.sqlite"), { readonly: true });
  try {
    return file
      .prepare(sql)
      .raw()
      .all(...values) as unknown[][];
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
  unpack(WITH_DOCUMENTS);
  const messages = rows("SELECT id, parts FROM messages ORDER BY id");
  const failed = rows("SELECT id FROM ingest_jobs WHERE state = 'failed'");
  const waiting = rows("SELECT id FROM ingest_jobs WHERE state IN ('queued', 'running') ORDER BY id");
  expect(waiting).toHaveLength(12);
  server = new TestServer(dataDir, SECRETS, {});
  await server.start();
  const [copy] = readdirSync(join(dataDir, "snapshots"));
  expect(server.output).toMatch(
    /^Updating the database \S+\/quarterdeck\.sqlite \(\d+ migrations\)\. A copy from before is kept: /,
  );
  expect(server.output.split("\n")[0]).toContain(join(dataDir, "snapshots", copy ?? ""));
  await expect
    .poll(() => rows("SELECT status, count(*) FROM documents GROUP BY status ORDER BY status"), {
      timeout: 60_000,
      interval: 200,
    })
    .toEqual([
      ["failed", 1],
      ["ready", 15],
    ]);
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

it("continues runs of an earlier version in each state, and forgets settings that are gone", async () => {
  unpack(WITH_RUNS);
  const called = await startMockServer((_, response) => void response.end("{}"));
  const raw = new Database(join(dataDir, "quarterdeck.sqlite"));
  const ports = [`:${CALLED_PORT}/`, `:${new URL(called.origin).port}/`];
  raw.prepare("UPDATE workflow_versions SET definition = replace(definition, ?, ?)").run(...ports);
  raw.prepare("UPDATE workflow_run_steps SET input = replace(input, ?, ?)").run(...ports);
  // As if it had been killed just now: runs are deleted after 30 days, and one waits for an hour.
  const later = raw.prepare("SELECT ? - max(created_at) FROM jobs").pluck().get(Date.now());
  for (const [table, columns] of Object.entries({
    workflow_runs: ["created_at", "started_at", "finished_at"],
    workflow_run_steps: ["started_at", "finished_at"],
    jobs: ["created_at", "run_at"],
  }))
    raw.prepare(`UPDATE ${table} SET ${columns.map((name) => `${name} = ${name} + @later`)}`).run({ later });
  raw.close();
  // The schedule goes on too, and is skipped again each minute.
  const runs = JSON.stringify(rows("SELECT id FROM workflow_runs").flat());
  const states = () =>
    rows(
      `SELECT state, count(*) FROM workflow_runs WHERE id IN (SELECT value FROM json_each(?))
      GROUP BY state ORDER BY state`,
      runs,
    );
  expect(states()).toEqual([
    ["cancelled", 1],
    ["failed", 1],
    ["queued", 3],
    ["running", 10],
    ["skipped", 1],
    ["succeeded", 1],
    ["waiting", 3],
  ]);
  const over = JSON.stringify(
    rows("SELECT id FROM workflow_runs WHERE state NOT IN ('queued', 'running', 'waiting')").flat(),
  );
  const readOver = () =>
    rows(
      `SELECT id, state, trigger_type, payload, output, error, created_at, finished_at FROM workflow_runs
      WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
      over,
    );
  const before = readOver();
  server = new TestServer(dataDir, { ...SECRETS, EGRESS_ALLOW: new URL(called.origin).host }, {});
  await server.start();
  await expect
    .poll(() => states(), { timeout: 60_000, interval: 200 })
    .toEqual([
      ["cancelled", 1],
      ["failed", 1],
      ["skipped", 1],
      ["succeeded", 14],
      ["waiting", 3],
    ]);
  expect(readOver()).toEqual(before);

  const cookie = await server.signIn("ada@example.org", "a long enough pass phrase");
  const headers = { cookie, origin: server.baseUrl };
  const [[id]] = rows(
    `SELECT r.id FROM workflow_runs r JOIN workflow_run_steps s ON s.run_id = r.id
    WHERE r.state = 'waiting' AND r.trigger_type = 'manual' AND s.type = 'approval'`,
  ) as [[string]];
  const json = { step: "ask", approved: true };
  expect((await server.ask(`/api/runs/${id}/answer`, { headers, json })).status).toBeLessThan(300);
  await expect.poll(() => rows("SELECT state FROM workflow_runs WHERE id = ?", id)).toEqual([["succeeded"]]);

  expect(rows("SELECT value FROM org_settings WHERE key = 'security'")).toEqual([
    ['{"sessionTimeout":7200}'],
  ]);
  const settings = (await (await server.ask("/api/settings/advanced", { headers })).json()) as {
    security: object;
  };
  expect(settings.security).toMatchObject({ sessionTimeout: 7200 });
  await expect
    .poll(() => rows("SELECT status, count(*) FROM documents GROUP BY status ORDER BY status"), {
      timeout: 60_000,
      interval: 200,
    })
    .toEqual([
      ["failed", 1],
      ["ready", 7],
    ]);
  expect(verifyTrail()).toMatch(/^OK: /);
  await called.close();
});
