import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { nodeBundle } from "./node-bundle.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");

/** Where development and tests find them. */
const DEVELOPMENT = join(root, ".cache/workers");

/**
 * Bundles app/workers/<name>.worker.ts to <name>.mjs, which the server build doesn't cover.
 *
 * @param {string} [target] the folder
 * @returns {Promise<string[]>} the workers' names
 */
export async function buildWorkers(target = DEVELOPMENT) {
  const folder = join(root, "app/workers");
  const entries = readdirSync(folder).filter((file) => file.endsWith(".worker.ts"));
  await build({
    ...nodeBundle(),
    entryPoints: entries.map((file) => ({ in: join(folder, file), out: basename(file, ".worker.ts") })),
    outdir: target,
    outExtension: { ".js": ".mjs" },
  });
  return entries.map((file) => basename(file, ".worker.ts"));
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) await buildWorkers();
