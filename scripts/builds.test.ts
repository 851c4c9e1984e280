import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { publishBuild, stageBuild } from "./builds.mjs";

let base: string;
let clock = Date.now();
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "quarterdeck-builds-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(base, { recursive: true, force: true });
});

function publish(text: string): void {
  const staging = stageBuild(base);
  mkdirSync(join(staging, "build"));
  writeFileSync(join(staging, "build/server.mjs"), text);
  // Names have the time in ms.
  clock += 1000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
  publishBuild(staging, base);
}

const builds = () => readdirSync(join(base, ".builds")).sort();
const current = () => readFileSync(join(base, "build/server.mjs"), "utf8");

/** A process that has marked a build, as server.ts does. */
async function startFrom(build: string, user: number): Promise<void> {
  const marks = JSON.stringify(join(base, ".builds", build, "in-use"));
  const program = `process.setuid?.(${user});
    require("node:fs").writeFileSync(${marks} + "/" + process.pid, "");
    console.log("ready");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
}

const self = process.getuid?.() ?? 0;

it.each(self === 0 ? [self, 4242] : [self])(
  "publishes each build in a folder of its own, and keeps old ones that user %d runs",
  async (user) => {
    chmodSync(base, 0o755);
    publish("one");
    expect(current()).toBe("one");
    const [first = ""] = builds();
    await startFrom(first, user);
    publish("two");
    const [, second = ""] = builds();
    for (const text of ["three", "four"]) publish(text);
    expect(current()).toBe("four");
    expect(builds()).toHaveLength(3);
    expect(builds()).toContain(first);
    expect(builds()).not.toContain(second);
  },
);

it("removes a build whose console ended or was killed", async () => {
  publish("one");
  const [first = ""] = builds();
  writeFileSync(join(base, ".builds", first, "in-use/999999999"), "");
  for (const text of ["two", "three"]) publish(text);
  expect(builds()).not.toContain(first);
});

it("replaces the folder that a build of an earlier version was", () => {
  mkdirSync(join(base, "build"));
  writeFileSync(join(base, "build/server.mjs"), "before");
  publish("one");
  expect(current()).toBe("one");
});
