import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EXTERNAL } from "./node-bundle.mjs";
import { root } from "./process.mjs";

/** Sources, maps and other systems' binaries, which are unused at run time. */
const UNUSED = new RegExp(
  [
    "\\.map$",
    `/better-sqlite3/(?:deps|src|binding\\.gyp|prebuilds/(?!linux(?:musl)?-|${process.platform}-)|prebuilds/[^/]*-(?!${process.arch}\\.)[^/]*$)`,
    "/pdfjs-dist/(?:build|image_decoders|types|web)(?:/|$)",
  ].join("|"),
);
/** Only for compiling better-sqlite3. */
const EXCLUDED = new Set(["node-addon-api"]);

/** Copies the unbundled packages, and what they need, for a built console. */
export function copyRuntimePackages(target) {
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
    cpSync(from, join(target, "node_modules", name), {
      recursive: true,
      dereference: true,
      filter: (file) => !UNUSED.test(file.slice(root.length)),
    });
  }
}
