import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { isRunning } from "./process.mjs";

let folder: string;
let script: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-rerun-"));
  script = join(folder, "script.mjs");
  writeFileSync(
    script,
    `import { endWithParent, isRerun, rerun } from ${JSON.stringify(resolve("scripts/rerun.mjs"))};
    if (isRerun()) endWithParent();
    else await rerun(process.execPath);
    let signals = 0;
    process.on("SIGTERM", () => { signals += 1; setTimeout(() => process.exit(signals), 50); });
    if (process.argv[2] === "exit") process.exit(7);
    if (process.argv[2] === "abort") process.kill(process.pid, "SIGKILL");
    console.log(JSON.stringify({ pid: process.pid, more: process.argv.slice(2), path: process.env.PATH }));
    setInterval(() => undefined, 1000);`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(...args: string[]): ChildProcess {
  const parent = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  return parent;
}

async function started(parent: ChildProcess) {
  const [text] = (await once(parent.stdout as NonNullable<ChildProcess["stdout"]>, "data")) as [Buffer];
  return JSON.parse(String(text)) as { pid: number; more: string[]; path: string };
}

it("runs the script with its arguments and the Node's folder first in the path", async () => {
  const parent = start("--flag", "value");
  const { pid, more, path } = await started(parent);
  expect(pid).not.toBe(parent.pid);
  expect(more).toEqual(["--flag", "value"]);
  expect(path.split(":")[0]).toBe(resolve(process.execPath, ".."));
});

it("ends with the script's code, or by its signal", async () => {
  expect(await once(start("exit"), "exit")).toEqual([7, null]);
  expect(await once(start("abort"), "exit")).toEqual([null, "SIGKILL"]);
});

it("passes a signal on once", async () => {
  const parent = start();
  await started(parent);
  parent.kill("SIGTERM");
  expect(await once(parent, "exit")).toEqual([1, null]);
});

it("ends the script where its parent is killed", async () => {
  const parent = start();
  const { pid } = await started(parent);
  parent.kill("SIGKILL");
  await expect.poll(() => isRunning(pid)).toBe(false);
});
