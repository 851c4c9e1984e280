import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, it } from "vitest";

const execute = promisify(execFile);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-demo-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, ...options: string[]) =>
  execute(process.execPath, [`build/${program}.mjs`, ...options], {
    env: { PATH: process.env.PATH, NODE_ENV: "production", DATA_DIR: folder },
  });

it("fills an empty data folder with a year, whose trail verifies, and empties it again", async () => {
  const { stdout } = await run("seed-demo");
  expect(stdout).toContain("@demo.example with the password");
  expect((await run("audit-verify")).stdout).toMatch(/^OK: /);
  const database = new Database(join(folder, "quarterdeck.sqlite"), { readonly: true });
  const count = (sql: string) => database.prepare(sql).pluck().get();
  expect(count("SELECT count(DISTINCT day) FROM usage_days")).toBeGreaterThan(300);
  expect(count("SELECT count(*) FROM users WHERE email NOT LIKE '%@demo.example'")).toBe(0);
  expect(count("SELECT count(*) FROM conversations") as number).toBeGreaterThan(100);
  expect(count("SELECT count(*) FROM workflow_runs WHERE state = 'failed'") as number).toBeGreaterThan(10);
  database.close();
  await expect(run("seed-demo")).rejects.toThrow("has an organization already");
  await run("seed-demo", "--remove");
  expect(readdirSync(folder).filter((name) => !name.startsWith("process.lock"))).toEqual([]);
}, 180_000);

it("removes nothing from a folder without a demo", async () => {
  writeFileSync(join(folder, "quarterdeck.sqlite"), "one's own");
  await expect(run("seed-demo", "--remove")).rejects.toThrow("nothing was removed");
  expect(readdirSync(folder)).toContain("quarterdeck.sqlite");
});
