import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
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

/** A manifest that needs one package, which lies beside it. */
async function lampManifest(): Promise<string> {
  const source = join(base, "lamp");
  mkdirSync(source);
  writeFileSync(join(source, "package.json"), JSON.stringify({ name: "lamp", version: "1.0.0" }));
  const packed = `file:${join(base, "lamp-1.0.0.tgz")}`;
  expect(await run("npm", ["pack", "--pack-destination", base], { cwd: source })).toMatchObject({ code: 0 });
  return manifest({ lamp: packed }, { "node_modules/lamp": { version: "1.0.0", resolved: packed } });
}

const target = () => join(base, "node_modules");

it("puts packages in place of those before, and leaves nothing beside them", async () => {
  const folder = await lampManifest();
  mkdirSync(join(base, ".installing-999999999"));
  const result = await installInto(folder, target());
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

/** A process that ensures a folder's packages. */
function ensure(folder: string, before = "") {
  const program = `${before}
    const { ensureInstalled } = await import(${JSON.stringify(pathToFileURL(resolve("scripts/install.mjs")))});
    await ensureInstalled(${JSON.stringify(folder)});`;
  return run(process.execPath, ["--input-type=module", "-e", program]);
}

it("finishes at the next start what a kill between the two renames cut off", async () => {
  const folder = await lampManifest();
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "node_modules/in-use.txt"), "before");
  const killed = await ensure(
    folder,
    `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { renameSync } = fs;
    fs.renameSync = (from, to) =>
      to.endsWith("/node_modules") ? process.kill(process.pid, "SIGKILL") : renameSync(from, to);
    syncBuiltinESMExports();`,
  );
  expect(killed.code, killed.output).toBe(1);
  expect(readdirSync(folder)).not.toContain("node_modules");
  rmSync(join(base, "lamp-1.0.0.tgz"));
  expect(await ensure(folder)).toEqual({ code: 0, output: "" });
  expect(readdirSync(folder).sort()).toEqual(["node_modules", "package-lock.json", "package.json"]);
  expect(readdirSync(join(folder, "node_modules"))).toEqual([".package-lock.json", "lamp"]);
});
