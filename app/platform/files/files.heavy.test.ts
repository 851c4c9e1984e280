import { createHash } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { now, setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { setEnv } from "~/core/env.server";
import { findStorageProblems } from "~/core/storage-faults.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { wakeDispatcher } from "~/platform/jobs/job-kind.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { S3_VERIFIES, startS3Server } from "../../../tests/support/source-servers";
import { fileJobs } from "./files.jobs.server";
import {
  forgetFiles,
  forgetFolder,
  readFileCopies,
  readStored,
  recheckCopies,
  recordFile,
  writeStored,
} from "./files.service.server";

let server: Awaited<ReturnType<typeof startS3Server>>;
let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;

beforeEach(async () => {
  server = await startS3Server();
  test = openTestDatabase(server.env);
  stop = startJobs(fileJobs);
});
afterEach(async () => {
  await stop();
  setClock();
  test.close();
  await server.close();
});

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

async function store(path: string, text: string): Promise<void> {
  await writeStored(path, Buffer.from(text));
  transaction((tx) => recordFile(tx, { path, sha: null, bytes: text.length }));
}

const states = () =>
  Object.fromEntries(
    (
      rawDatabase().prepare("SELECT path, state FROM stored_files ORDER BY path").raw().all() as [
        string,
        string,
      ][]
    ).map((row) => row),
  );
const objects = () => server.list("files");
const whenCopied = () => expect.poll(readFileCopies).toMatchObject({ state: "ok", waiting: 0 });

const active =
  "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running') OR state = 'scheduled' AND run_at <= ?";
const whenIdle = () => expect.poll(() => rawDatabase().prepare(active).pluck().get(now())).toBe(0);

/** Lets the scheduled pass happen. */
async function passDays(days: number): Promise<void> {
  await whenIdle();
  setClock(() => Date.now() + days * DAY);
  const ended = rawDatabase()
    .prepare("SELECT count(*) FROM jobs WHERE state = 'succeeded' AND finished_at >= ?")
    .pluck();
  const from = now();
  wakeDispatcher();
  await expect.poll(() => ended.get(from)).toBeGreaterThan(0);
  await whenIdle();
}

describe("copies of files", () => {
  it("are made once of each content, and deleted after a grace time with the last file that has it", async () => {
    await store("runs/run_1/out_1.json", "same");
    await store("runs/run_1/out_2.json", "same");
    await store("runs/run_2/out_3.json", "same");
    await store("attachments/a", "other");
    await whenCopied();
    expect((await objects()).sort()).toEqual([`files/${digest("same")}`, `files/${digest("other")}`].sort());

    transaction((tx) => forgetFolder(tx, "runs/run_1"));
    transaction((tx) => forgetFiles(tx, ["attachments/a"]));
    await passDays(20);
    await store("attachments/a", "other");
    await passDays(40);
    expect(states()).toEqual({ "attachments/a": "copied", "runs/run_2/out_3.json": "copied" });
    expect(await objects()).toHaveLength(2);

    transaction((tx) => forgetFolder(tx, "runs/run_2"));
    await passDays(80);
    expect(await objects()).toEqual([`files/${digest("other")}`]);
    expect(states()).toEqual({ "attachments/a": "copied" });
  });

  it("bring a missing file back, and never one with another content", async () => {
    await store("attachments/a", "whole");
    await store("attachments/b", "spoiled");
    await whenCopied();
    await server.put(`files/${digest("spoiled")}`, "another text");
    for (const path of ["attachments/a", "attachments/b"]) rmSync(join(test.folder, path));
    const [one, two] = await Promise.all([readStored("attachments/a"), readStored("attachments/a")]);
    expect([String(one), String(two)]).toEqual(["whole", "whole"]);
    expect(existsSync(join(test.folder, "attachments/a"))).toBe(true);
    expect(await readStored("attachments/b")).toBeUndefined();
    expect(await readStored("attachments/unknown")).toBeUndefined();
    expect(existsSync(join(test.folder, "attachments/b"))).toBe(false);
  });

  it("fill an empty folder, notice lost copies, and say what is in neither place", async () => {
    await store("attachments/a", "kept");
    await store("attachments/b", "lost in both");
    await store("attachments/c", "lost there");
    await whenCopied();
    rmSync(join(test.folder, "attachments/a"));
    rmSync(join(test.folder, "attachments/b"));
    for (const text of ["lost in both", "lost there"]) await server.remove(`files/${digest(text)}`);
    await passDays(2);
    expect(states()).toEqual({
      "attachments/a": "copied",
      "attachments/b": "missing",
      "attachments/c": "copied",
    });
    expect(existsSync(join(test.folder, "attachments/a"))).toBe(true);
    expect(readFileCopies()).toMatchObject({ state: "ok", missing: 1 });
    expect(await objects()).toContain(`files/${digest("lost there")}`);
    // An operator found it.
    writeFileSync(join(test.folder, "attachments/b"), "lost in both");
    await passDays(4);
    expect(states()).toMatchObject({ "attachments/b": "copied" });
  });

  it("are looked for again after a restore, without sending what is there", async () => {
    await store("attachments/a", "there");
    await store("attachments/b", "gone");
    await whenCopied();
    await server.remove(`files/${digest("gone")}`);
    transaction((tx) => recheckCopies(tx));
    expect(readFileCopies()).toMatchObject({ waiting: 2 });
    await passDays(0.1);
    await whenCopied();
    expect(await objects()).toHaveLength(2);
  });

  it("wait while the place refuses, and say why", async () => {
    setEnv({
      NODE_ENV: "test",
      LOG_LEVEL: "silent",
      DATA_DIR: test.folder,
      ...server.env,
      FILES_S3_BUCKET: "unknown",
    });
    await store("attachments/a", "waits");
    await expect.poll(readFileCopies).toMatchObject({ state: "failing", waiting: 1 });
    expect(readFileCopies()?.error).toMatch(/has no bucket named unknown\.$/);
    expect(findStorageProblems()).toMatchObject([
      {
        code: "copies_behind",
        message: expect.stringMatching(/has no bucket named unknown\. 1 file waits\.$/),
      },
    ]);
    setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: test.folder, ...server.env });
    await passDays(0.1);
    await whenCopied();
    expect(findStorageProblems()).toEqual([]);
  });

  it.runIf(S3_VERIFIES)("refuse a wrong secret with a sentence", async () => {
    setEnv({
      ...{ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: test.folder },
      ...{ ...server.env, FILES_S3_SECRET_ACCESS_KEY: "wrong" },
    });
    await store("attachments/a", "waits");
    await expect.poll(readFileCopies).toMatchObject({
      state: "failing",
      error: expect.stringMatching(
        /refused the key of the copies \(HTTP 403\)\. Check FILES_S3_ACCESS_KEY_ID/,
      ),
    });
    expect(await objects()).toEqual([]);
  });
});
