import { resolve } from "node:path";
import { vitePlugin as remix } from "@remix-run/dev";
import { minify } from "@swc/core";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type Plugin, type Rollup, type UserConfig } from "vite";
import remixConfig from "./remix.config.js";
import { iconSprite } from "./scripts/icon-sprite.mjs";

/** In bytes: what is smaller is joined with others. Larger limits save requests and load more than a screen uses. */
const SMALL_CHUNK = 900;

/** A page's manifest names each file, some of them many times: hashes are as short as rollup takes for so many. */
const FILE_NAMES = "assets/[name]-[hash:7].js";

const EVERY_PAGE = ["app/entry.client.tsx", "app/root.tsx"];
const EVERY_SCREEN = ["app/routes/shell/layout.tsx"];

/**
 * What every page loads is one file of packages and one of the app, and what every screen loads is one more: rollup alone
 * makes a file of each part that another page happens to load, too.
 */
function shareFiles(): Rollup.GetManualChunk {
  const files = new Map<string, string>();
  return (id, { getModuleInfo }) => {
    const add = (module: string, name: string): void => {
      if (files.has(module)) return;
      const file = name === "every-page" && module.includes("/node_modules/") ? "packages" : name;
      files.set(module, file);
      // What only packages import is theirs, such as helpers that their code was given.
      for (const imported of getModuleInfo(module)?.importedIds ?? []) add(imported, file);
    };
    if (files.size === 0) {
      for (const entry of EVERY_PAGE) add(resolve(entry), "every-page");
      for (const entry of EVERY_SCREEN) add(resolve(entry), "every-screen");
    }
    return files.get(id);
  };
}

const BROWSER_FILES = {
  manualChunks: shareFiles(),
  experimentalMinChunkSize: SMALL_CHUNK,
  chunkFileNames: FILE_NAMES,
  entryFileNames: FILE_NAMES,
};

/** The base path is known at start: scripts find each other by their own address, and other files by the page's. */
const builtUrl: NonNullable<UserConfig["experimental"]>["renderBuiltUrl"] = (file, { hostType, ssr }) => {
  if (ssr) return undefined;
  if (hostType !== "js" || file.endsWith(".js")) return { relative: true };
  return { runtime: `(document.documentElement.dataset.base??"")+${JSON.stringify(`/${file}`)}` };
};

/** Takes a tenth of terser's time, and its scripts are 4 % smaller than those of esbuild, which Vite offers beside it. */
const smallScripts: Plugin = {
  name: "small-scripts",
  apply: (_, { isSsrBuild }) => !isSsrBuild,
  renderChunk: {
    order: "post",
    handler: async (code) =>
      (await minify(code, { module: true, ecma: 2020, compress: { passes: 3 }, mangle: { toplevel: true } }))
        .code,
  },
};

export default defineConfig(({ isSsrBuild }) => ({
  experimental: { renderBuiltUrl: builtUrl },
  plugins: [tailwindcss(), smallScripts, !process.env.VITEST && [iconSprite("app"), remix(remixConfig)]],
  resolve: { alias: { "~": resolve("app"), "~db": resolve("db") } },
  // Development: Vite looks through the routes for what the browser needs and meets what only the server has.
  optimizeDeps: { exclude: ["@node-rs/argon2", "better-sqlite3"] },
  // Threads load parts of their own, such as a grammar.
  worker: {
    format: "es",
    plugins: () => [smallScripts],
    // JavaScript's grammar asks for that of XML.
    rollupOptions: {
      output: {
        manualChunks: (id) => (/\/languages\/(?:javascript|xml)\./.test(id) ? "javascript" : undefined),
      },
    },
  },
  build: {
    target: "es2022",
    cssMinify: true,
    ...(isSsrBuild ? {} : { minify: false, rollupOptions: { output: BROWSER_FILES } }),
  },
}));
