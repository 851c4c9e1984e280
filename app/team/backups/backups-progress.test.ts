import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readBackupProgress } from "./backups.service.server";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "progress-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("reports a backup's progress by copied, then compressed bytes", async () => {
  const target = join(folder, "one.tar.gz");
  expect(await readBackupProgress(target, 100)).toBeNull();
  mkdirSync(`${target}.staging`);
  writeFileSync(join(`${target}.staging`, "quarterdeck.sqlite"), "x".repeat(40));
  expect(await readBackupProgress(target, 100)).toEqual({ step: "copying", done: 40, total: 100 });
  writeFileSync(join(`${target}.staging`, "position"), "7 90");
  expect(await readBackupProgress(target, 100)).toEqual({ step: "compressing", done: 7, total: 90 });
});
