import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isRunning, root } from "./process.mjs";

// A build is a folder of .builds that holds all that a console reads; `build` is a link into the newest. A console that
// runs keeps the folder it was started from, however often another is made meanwhile: server.ts puts a file named by its
// process into the folder's `in-use`.

const FOLDER = ".builds";
/** A console may be just starting from the second newest. */
const KEPT = 2;

/**
 * @param {string} [base] the folder that has the builds
 * @returns {string} an empty folder in which one can be made
 */
export function stageBuild(base = root) {
  const staging = join(base, FOLDER, `.making-${process.pid}`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  return staging;
}

/** Lets consoles of all users mark a build. */
function allowUse(build) {
  const marks = join(build, "in-use");
  mkdirSync(marks);
  // The mode of mkdir is subject to the umask.
  chmodSync(marks, 0o1777);
}

function isInUse(build) {
  const marks = join(build, "in-use");
  return existsSync(marks) && readdirSync(marks).some((pid) => isRunning(Number(pid)));
}

/** Their names begin with the time, so that they sort by age. */
function removeOldBuilds(folder) {
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  for (const name of names.sort().slice(0, -KEPT))
    if (!isInUse(join(folder, name))) rmSync(join(folder, name), { recursive: true, force: true });
}

/**
 * Makes a finished build the one that starts run, by one rename.
 *
 * @param {string} staging as `stageBuild` gave it
 * @param {string} [base]
 */
export function publishBuild(staging, base = root) {
  const folder = join(base, FOLDER);
  const link = join(base, "build");
  const name = `${new Date().toISOString().replace(/\D/g, "")}-${process.pid}`;
  allowUse(staging);
  renameSync(staging, join(folder, name));
  // Before builds had folders of their own, `build` was one.
  if (lstatSync(link, { throwIfNoEntry: false })?.isDirectory()) renameSync(link, join(folder, `0-${name}`));
  const next = join(folder, `.next-${process.pid}`);
  rmSync(next, { force: true });
  symlinkSync(join(FOLDER, name, "build"), next);
  renameSync(next, link);
  removeOldBuilds(folder);
}

/** What a build is made of. */
const SOURCES = [
  "app",
  "db",
  "programs",
  "public",
  "server.ts",
  "vite.config.ts",
  "remix.config.js",
  "tsconfig.json",
  "package-lock.json",
  "scripts/bundle.mjs",
  "scripts/node-bundle.mjs",
];
const stampOf = (folder) => join(folder, ".stamp");

function* filesOf(path) {
  const full = join(root, path);
  if (!existsSync(full)) return;
  if (!statSync(full).isDirectory()) {
    yield path;
    return;
  }
  for (const name of readdirSync(full).sort()) yield* filesOf(`${path}/${name}`);
}

/** By contents, since a checkout changes dates. */
function fingerprint() {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    for (const file of filesOf(source)) {
      if (/\.test\.tsx?$/.test(file)) continue;
      hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
    }
  }
  return hash.digest("hex");
}

export function isBuildStale() {
  const stamp = stampOf(join(root, "build"));
  return !existsSync(stamp) || readFileSync(stamp, "utf8") !== fingerprint();
}

export function stampBuild(folder) {
  writeFileSync(stampOf(folder), fingerprint());
}
