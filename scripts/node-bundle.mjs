import { join } from "node:path";
import { root } from "./process.mjs";

/** Packages that stay outside of the bundles: native code, and files that are read at run time. */
export const EXTERNAL = ["@node-rs/argon2", "better-sqlite3", "pdfjs-dist", "sqlite-vec"];

/**
 * What all bundles for Node have in common. Packages are bundled: reading thousands of small files took most of the
 * time of a start.
 *
 * @returns {import("esbuild").BuildOptions}
 */
export function nodeBundle() {
  return {
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: [...EXTERNAL, "vite"],
    // Packages bring six copies of it; one is enough.
    alias: {
      undici: join(root, "node_modules/undici"),
      // Its other entry reads its data from files beside it.
      "css-tree": join(root, "node_modules/css-tree/dist/csstree.esm.js"),
    },
    // Packages in CommonJS call `require` for Node's own modules.
    banner: {
      js: 'import { createRequire as createBundleRequire } from "node:module"; const require = createBundleRequire(import.meta.url);',
    },
    define: { "process.env.NODE_ENV": '"production"' },
    // Names are kept: stack traces in the log stay readable.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "external",
    logLevel: "error",
  };
}
