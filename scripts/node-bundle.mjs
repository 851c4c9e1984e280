import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "./process.mjs";

/** Not bundled: native code, and files read at run time. */
export const EXTERNAL = [
  "@hyzyla/pdfium",
  "@node-rs/argon2",
  "better-sqlite3",
  "multilingual-stemmer",
  "quickjs-wasi",
  "sqlite-vec",
  "tesseract.js-core",
];

/**
 * Shared options. Packages are bundled, since reading thousands of files dominated a start.
 * @returns {import("esbuild").BuildOptions}
 */
export function nodeBundle() {
  return {
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    external: [...EXTERNAL, "vite"],
    // Packages bring copies of their own; one is enough.
    alias: {
      undici: join(root, "node_modules/undici"),
      "iconv-lite": join(root, "node_modules/iconv-lite"),
      // The default entry reads data files beside it.
      "css-tree": join(root, "node_modules/css-tree/dist/csstree.esm.js"),
    },
    // CommonJS packages `require` Node's modules.
    banner: {
      js: 'import { createRequire as createBundleRequire } from "node:module"; const require = createBundleRequire(import.meta.url);',
    },
    define: { "process.env.NODE_ENV": '"production"' },
    // Names are kept for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "external",
    logLevel: "error",
  };
}

/**
 * Bundles app/workers/<name>.worker.ts to <name>.mjs, which the server build doesn't cover.
 * @param {string} [target] the folder; by default where development and tests find them
 */
export async function buildWorkers(target = join(root, ".cache/workers")) {
  // Imported late: this file loads before packages are installed.
  const { build } = await import("esbuild");
  const folder = join(root, "app/workers");
  const entries = readdirSync(folder).filter((file) => file.endsWith(".worker.ts"));
  await build({
    ...nodeBundle(),
    entryPoints: entries.map((file) => ({ in: join(folder, file), out: basename(file, ".worker.ts") })),
    outdir: target,
    outExtension: { ".js": ".mjs" },
  });
}
