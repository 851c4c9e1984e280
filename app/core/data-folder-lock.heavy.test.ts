import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockDataDir } from "./data-folder.server";

describe("the claim on a data folder", () => {
  let folder: string;
  let holder: ChildProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "quarterdeck-lock-"));
  });
  afterEach(() => {
    holder?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  async function holdElsewhere(): Promise<ChildProcess> {
    const child = spawn(process.execPath, ["--import", "tsx", "tests/support/hold-lock.ts", folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    holder = child;
    await new Promise<void>((held, failed) => {
      child.stdout?.once("data", () => held());
      child.once("exit", () => failed(new Error("The other process didn't get the folder.")));
    });
    return child;
  }

  const ended = (child: ChildProcess) => new Promise((done) => child.once("exit", done));

  it("refuses a folder that another process has, naming it and the way out", async () => {
    await holdElsewhere();
    await expect(lockDataDir(folder, 0)).rejects.toThrow(
      `Another Quarterdeck process uses the data folder ${folder}. Stop it, or set DATA_DIR`,
    );
  });

  it("frees the folder as soon as its process is killed", async () => {
    const child = await holdElsewhere();
    child.kill("SIGKILL");
    await ended(child);
    const lock = await lockDataDir(folder, 0);
    lock.release();
  });

  it("waits for another process to leave", async () => {
    const child = await holdElsewhere();
    const waiting = lockDataDir(folder, 10_000);
    child.kill("SIGTERM");
    (await waiting).release();
  });

  it("locks a folder again after its release", async () => {
    (await lockDataDir(folder, 0)).release();
    (await lockDataDir(folder, 0)).release();
  });
});
