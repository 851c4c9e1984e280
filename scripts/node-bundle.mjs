import { join } from "node:path";
import { root } from "./process.mjs";

/** Not bundled: native code, and files read at run time. */
export const EXTERNAL = ["@node-rs/argon2", "better-sqlite3", "pdfjs-dist", "sqlite-vec"];

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
