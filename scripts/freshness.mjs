import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.mjs";

const SOURCES = [
  "app",
  "db",
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
];
const stamp = join(root, "build", ".stamp");

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
  const hash = createHash("sha256").update(process.version);
  for (const source of SOURCES) {
    for (const file of filesOf(source)) {
      if (/\.test\.tsx?$/.test(file)) continue;
      hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
    }
  }
  return hash.digest("hex");
}

export function isBuildStale() {
  return !existsSync(stamp) || readFileSync(stamp, "utf8") !== fingerprint();
}

export function stampBuild() {
  writeFileSync(stamp, fingerprint());
}
