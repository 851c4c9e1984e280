import { cpSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { EXTERNAL } from "./node-bundle.mjs";
import { fail, root } from "./process.mjs";

// Copies the unbundled packages for a built console.

/** Sources and maps that are unused at run time. */
const UNUSED =
  /\/(?:better-sqlite3\/(?:deps|src|build\/(?!Release\/better_sqlite3\.node|Release$))|pdfjs-dist\/(?:build|image_decoders|types|web)(?:\/|$)|.*\.map$)/;
/** Only for installing better-sqlite3. */
const EXCLUDED = new Set(["prebuild-install"]);

const target = process.argv[2];
if (!target) fail("Give the folder to copy into: node scripts/runtime-packages.mjs <folder>");
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const names = new Set(EXTERNAL);
// Sets may grow during iteration.
for (const name of names) {
  const { dependencies = {}, optionalDependencies = {} } = packages[`node_modules/${name}`];
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies }))
    if (!EXCLUDED.has(needed)) names.add(needed);
}
for (const name of names) {
  const from = join(root, "node_modules", name);
  // Natives of other systems aren't installed.
  if (!existsSync(from)) continue;
  cpSync(from, join(resolve(target), "node_modules", name), {
    recursive: true,
    dereference: true,
    filter: (file) => !UNUSED.test(file.slice(root.length)),
  });
}
