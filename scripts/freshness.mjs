import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.mjs";

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
  "scripts/build-workers.mjs",
  "scripts/compress-assets.mjs",
  "scripts/node-bundle.mjs",
  "scripts/runtime-packages.mjs",
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
