import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { openTestDatabase } from "../support/database";
import { bundleProgram } from "../support/faults";

/** `npm run test:faults` kills fifty times as often. */
const KILLS = Number(process.env.FAULT_KILLS ?? 2);
const JOBS = 500 * Math.ceil(KILLS / 40);
/** Changes of jobs after which a process is killed, and how many more at most. All jobs take two each at least. */
const MIN_CHANGES = 8;
const MORE_CHANGES = 16;

let bundle: string;
let folder: string;
let child: ChildProcess | undefined;

beforeAll(async () => {
  bundle = await bundleProgram("faulty-jobs");
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-faults-"));
});
afterAll(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the queue until so many changes are printed, and kills it. @returns whether it was done before */
async function runUntil(changes: number): Promise<boolean> {
  const running = spawn(process.execPath, [bundle, folder, String(JOBS)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = running;
  const exit = once(running, "exit");
  let printed = "";
  for await (const chunk of running.stdout) {
    printed += String(chunk);
    if (printed.includes("done") || printed.length >= changes) break;
  }
  running.kill("SIGKILL");
  await exit;
  return printed.includes("done");
}

it(
  `loses no job and does none twice that is done once, over ${KILLS} kills`,
  async () => {
    const test = openTestDatabase();
    try {
      rawDatabase().exec("CREATE TABLE effects (job_id text NOT NULL, step text NOT NULL)");
      await rawDatabase().backup(join(folder, "quarterdeck.sqlite"));
    } finally {
      test.close();
    }
    for (let kill = 0; kill < KILLS; kill++)
      expect(await runUntil(MIN_CHANGES + Math.floor(Math.random() * MORE_CHANGES))).toBe(false);
    await runUntil(Number.POSITIVE_INFINITY);
    const raw = new Database(join(folder, "quarterdeck.sqlite"), { readonly: true });
    const third = (position: number) => Math.ceil((JOBS - position) / 3);
    const rows = (sql: string) => raw.prepare(sql).raw().all();
    try {
      expect(
        rows("SELECT kind, state, count(*) FROM jobs WHERE kind <> 'test.ticking' GROUP BY 1, 2 ORDER BY 1"),
      ).toEqual([
        ["test.once", "succeeded", third(1)],
        ["test.repeatable", "succeeded", third(0)],
        ["test.stepwise", "succeeded", third(2)],
      ]);
      const effects = (kind: string) =>
        rows(`SELECT step, count(*), count(DISTINCT job_id) FROM effects JOIN jobs ON id = job_id
        WHERE kind = '${kind}' GROUP BY step ORDER BY step`);
      expect(effects("test.once")).toEqual([["ended", third(1), third(1)]]);
      expect(effects("test.stepwise")).toEqual(
        [0, 1, 2, 3, 4].map((step) => [`step ${step}`, third(2), third(2)]),
      );
      expect(effects("test.repeatable")).toEqual([["ran", expect.any(Number), third(0)]]);
      // Each due time became one job, or was skipped because the one before it hadn't ended.
      const [[fired]] = rows("SELECT count(*) FROM schedule_fires WHERE outcome = 'queued'") as [[number]];
      expect(rows("SELECT count(*) FROM jobs WHERE kind = 'test.ticking'")).toEqual([[fired]]);
      expect(fired).toBeGreaterThan(0);
    } finally {
      raw.close();
    }
  },
  60_000 + KILLS * 10_000,
);
