import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { installInto } from "./install.mjs";
import { run } from "./process.mjs";

// npm itself installs, from files in place of the registry.

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "quarterdeck-install-"));
  mkdirSync(join(base, "node_modules"));
  writeFileSync(join(base, "node_modules/in-use.txt"), "before");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A folder whose lock file has the given packages beside its root. */
function manifest(dependencies: Record<string, string>, packages: Record<string, object>): string {
  const folder = join(base, "manifest");
  mkdirSync(folder);
  const project = { name: "x", version: "1.0.0", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(project));
  const lock = { name: "x", version: "1.0.0", lockfileVersion: 3, packages: { "": project, ...packages } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  return folder;
}

const target = () => join(base, "node_modules");

it("puts packages in place of those before, and leaves nothing beside them", async () => {
  const source = join(base, "lamp");
  mkdirSync(source);
  writeFileSync(join(source, "package.json"), JSON.stringify({ name: "lamp", version: "1.0.0" }));
  const packed = `file:${join(base, "lamp-1.0.0.tgz")}`;
  expect(await run("npm", ["pack", "--pack-destination", base], { cwd: source })).toMatchObject({ code: 0 });
  mkdirSync(join(base, ".installing-999999999"));
  const lamp = { "node_modules/lamp": { version: "1.0.0", resolved: packed } };
  const result = await installInto(manifest({ lamp: packed }, lamp), target());
  expect(result.code, result.output).toBe(0);
  expect(readdirSync(target()).sort()).toEqual([".package-lock.json", "lamp"]);
  expect(readdirSync(base).sort()).toEqual(["lamp", "lamp-1.0.0.tgz", "manifest", "node_modules"]);
});

it("changes nothing if npm fails", async () => {
  const missing = { version: "1.0.0", resolved: "file:nowhere.tgz", integrity: "sha512-AAAA" };
  const result = await installInto(
    manifest({ nowhere: "file:nowhere.tgz" }, { "node_modules/nowhere": missing }),
    target(),
  );
  expect(result.code).not.toBe(0);
  expect(result.output).toContain("nowhere.tgz");
  expect(readFileSync(join(target(), "in-use.txt"), "utf8")).toBe("before");
  expect(readdirSync(base).sort()).toEqual(["manifest", "node_modules"]);
});
