import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { root } from "./process.mjs";

// A build is a folder of .builds that holds all that a console needs; `build` is a link into the newest. A console that
// runs keeps the folder it was started from, however often another is made meanwhile.

const folder = join(root, ".builds");
const link = join(root, "build");
/** Each starts with the time, so that they sort by age. */
const newName = () => `${new Date().toISOString().replace(/\D/g, "").slice(0, 14)}-${process.pid}`;

/** @returns {string} an empty folder in which a build can be made */
export function stageBuild() {
  const staging = join(folder, `.making-${process.pid}`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  return staging;
}

/** The builds that a process has native modules of. */
function buildsInUse() {
  const used = new Set();
  if (!existsSync("/proc")) return used;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    let maps = "";
    try {
      maps = readFileSync(`/proc/${pid}/maps`, "utf8");
    } catch {
      // It ended meanwhile, or belongs to somebody else.
    }
    for (const [, name] of maps.matchAll(/\/\.builds\/([^/\s]+)\//g)) used.add(name);
  }
  return used;
}

/** Removes builds that nobody runs; the newest two stay, as a console may be just starting from the older. */
function removeOldBuilds() {
  const used = buildsInUse();
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  for (const name of names.sort().slice(0, -2))
    if (!used.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Makes a finished build the one that starts run, by one rename. */
export function publishBuild(staging) {
  const name = newName();
  renameSync(staging, join(folder, name));
  // Before builds had folders of their own, `build` was one.
  if (lstatSync(link, { throwIfNoEntry: false })?.isDirectory()) renameSync(link, join(folder, `0-${name}`));
  const next = join(folder, `.next-${process.pid}`);
  rmSync(next, { force: true });
  symlinkSync(join(basename(folder), name, "build"), next);
  renameSync(next, link);
  removeOldBuilds();
}

/** The path below the root, as the build's tools want it. */
export const belowRoot = (path) => relative(root, path);
