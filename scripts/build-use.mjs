import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "./process.mjs";

// Each console that runs from a build has a file in it, named by its process.

const folderOf = (build) => join(build, "in-use");

/** Lets every user's consoles mark a build. */
export function allowUse(build) {
  mkdirSync(folderOf(build));
  // The mode of mkdir is subject to the umask.
  chmodSync(folderOf(build), 0o1777);
}

/** Marks a build until this process ends. A build made for an image has no place for it, and is never removed. */
export function markUse(build) {
  if (!existsSync(folderOf(build))) return;
  const file = join(folderOf(build), String(process.pid));
  try {
    writeFileSync(file, "");
  } catch {
    // A console starts on a full or read-only disk too, and nothing is built there.
    return;
  }
  process.on("exit", () => rmSync(file, { force: true }));
}

export const isInUse = (build) =>
  existsSync(folderOf(build)) && readdirSync(folderOf(build)).some((pid) => isRunning(Number(pid)));
