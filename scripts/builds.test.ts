import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { publishBuild, stageBuild } from "./builds.mjs";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "quarterdeck-builds-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const NATIVE = `prebuilds/${process.platform}-${process.arch}.node`;

function publish(text: string): void {
  const staging = stageBuild(base);
  mkdirSync(join(staging, "build"));
  writeFileSync(join(staging, "build/server.mjs"), text);
  cpSync(
    join(dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json")), NATIVE),
    join(staging, "native.node"),
  );
  publishBuild(staging, base);
}

const builds = () => readdirSync(join(base, ".builds")).sort();
const current = () => readFileSync(join(base, "build/server.mjs"), "utf8");

/** A process that has loaded a native module of a build, as a console has. */
async function startFrom(build: string): Promise<void> {
  const file = JSON.stringify(join(base, ".builds", build, "native.node"));
  const program = `process.dlopen({ exports: {} }, ${file}); console.log("ready"); setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
}

it("publishes each build in a folder of its own, and removes old ones that nobody runs", async () => {
  publish("one");
  expect(current()).toBe("one");
  const [first = ""] = builds();
  await startFrom(first);
  publish("two");
  const [, second = ""] = builds();
  for (const text of ["three", "four"]) publish(text);
  expect(current()).toBe("four");
  expect(builds()).toHaveLength(3);
  expect(builds()).toContain(first);
  expect(builds()).not.toContain(second);
});

it("replaces the folder that a build of an earlier version was", () => {
  mkdirSync(join(base, "build"));
  writeFileSync(join(base, "build/server.mjs"), "before");
  publish("one");
  expect(current()).toBe("one");
});
