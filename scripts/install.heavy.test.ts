import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
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
function manifest(
  dependencies: Record<string, string>,
  packages: Record<string, object>,
  { name = "manifest", scripts = {} }: { name?: string; scripts?: Record<string, string> } = {},
): string {
  const folder = join(base, name);
  mkdirSync(folder);
  const project = { name: "x", version: "1.0.0", dependencies, scripts };
  writeFileSync(join(folder, "package.json"), JSON.stringify(project));
  const lock = { name: "x", version: "1.0.0", lockfileVersion: 3, packages: { "": project, ...packages } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  return folder;
}

/** A manifest that needs one package, which lies beside it. */
async function lampManifest(scripts: Record<string, string> = {}): Promise<string> {
  const source = join(base, "lamp");
  mkdirSync(source);
  writeFileSync(join(source, "package.json"), JSON.stringify({ name: "lamp", version: "1.0.0" }));
  const packed = `file:${join(base, "lamp-1.0.0.tgz")}`;
  expect(await run("npm", ["pack", "--pack-destination", base], { cwd: source })).toMatchObject({ code: 0 });
  const packages = { "node_modules/lamp": { version: "1.0.0", resolved: packed } };
  return manifest({ lamp: packed }, packages, { scripts });
}

/** A manifest that npm can't install. */
function brokenManifest(name?: string): string {
  const missing = { version: "1.0.0", resolved: "file:nowhere.tgz", integrity: "sha512-AAAA" };
  return manifest(
    { nowhere: "file:nowhere.tgz" },
    { "node_modules/nowhere": missing },
    { ...(name ? { name } : {}) },
  );
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

it.each([
  ["by the usual address alone", "/npm/lamp/-/lamp-1.0.0.tgz", 404, ["/npm/lamp/-/lamp-1.0.0.tgz"]],
  [
    "elsewhere, where a registry keeps it",
    "/kept/lamp.tgz",
    404,
    ["/npm/lamp/-/lamp-1.0.0.tgz", "/npm/lamp", "/kept/lamp.tgz"],
  ],
  [
    "elsewhere, if the usual address is forbidden",
    "/kept/lamp.tgz",
    403,
    ["/npm/lamp/-/lamp-1.0.0.tgz", "/npm/lamp", "/kept/lamp.tgz"],
  ],
])("fetches a package %s", async (_, place, refusal, expected) => {
  await lampManifest();
  const packed = readFileSync(join(base, "lamp-1.0.0.tgz"));
  const integrity = `sha512-${createHash("sha512").update(packed).digest("base64")}`;
  const asked: string[] = [];
  const registry = createServer(({ url = "" }, response) => {
    asked.push(url);
    const tarball = `${origin}${place}`;
    const version = { name: "lamp", version: "1.0.0", dist: { tarball, integrity } };
    if (url === place) response.end(packed);
    else if (url === "/npm/lamp")
      response.end(JSON.stringify({ name: "lamp", versions: { "1.0.0": version } }));
    else response.writeHead(refusal).end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => registry.once("listening", resolve));
  const origin = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  vi.stubEnv("npm_config_registry", `${origin}/npm`);
  // npm warns of it.
  vi.stubEnv("npm_config_setting_of_another_tool", "1");
  vi.stubEnv("npm_config_cache", join(base, "cache"));
  const locked = { "node_modules/lamp": { version: "1.0.0", integrity } };
  const result = await installInto(manifest({ lamp: "1.0.0" }, locked, { name: "asking" }), target());
  registry.close();
  vi.unstubAllEnvs();
  expect(result.code, result.output).toBe(0);
  expect(asked).toEqual(expected);
  expect(readdirSync(target()).sort()).toEqual([".package-lock.json", "lamp"]);
});

it("changes nothing if npm fails", async () => {
  const result = await installInto(brokenManifest(), target());
  expect(result.code).not.toBe(0);
  expect(result.output).toContain("nowhere.tgz");
  expect(readFileSync(join(target(), "in-use.txt"), "utf8")).toBe("before");
  expect(readdirSync(base).sort()).toEqual(["manifest", "node_modules"]);
});

/** A process that ensures folders' packages at once. */
function ensure(folders: readonly string[], before = "") {
  const program = `${before}
    const { ensureInstalled } = await import(${JSON.stringify(pathToFileURL(resolve("scripts/install.mjs")))});
    await Promise.all(${JSON.stringify(folders)}.map((folder) => ensureInstalled(folder)));`;
  return run(process.execPath, ["--input-type=module", "-e", program]);
}

it("finishes at the next start what a kill between the two renames cut off", async () => {
  const folder = await lampManifest();
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "node_modules/in-use.txt"), "before");
  const killed = await ensure(
    [folder],
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
  expect(await ensure([folder])).toEqual({ code: 0, output: "" });
  expect(readdirSync(folder).sort()).toEqual(["node_modules", "package-lock.json", "package.json"]);
  expect(readdirSync(join(folder, "node_modules"))).toEqual([".package-lock.json", "lamp"]);
});

it("lets another installation end before the process ends by one that failed", async () => {
  const broken = brokenManifest("broken");
  const wait = join(base, "wait.cjs");
  writeFileSync(
    wait,
    `const goesOn = () => require("node:fs").readdirSync(${JSON.stringify(broken)}).some((name) => name.startsWith(".installing-"));
    while (goesOn()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);`,
  );
  const folder = await lampManifest({ postinstall: `node ${wait}` });
  const { code, output } = await ensure([broken, folder]);
  expect(code).toBe(1);
  expect(output).toContain("The packages could not be installed");
  expect(readdirSync(folder).sort()).toEqual(["node_modules", "package-lock.json", "package.json"]);
  expect(readdirSync(join(folder, "node_modules"))).toEqual([".package-lock.json", "lamp"]);
});
