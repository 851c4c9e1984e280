import { resolve } from "node:path";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import remixConfig from "./remix.config.js";

const FRAMEWORK =
  /\/node_modules\/(?:react|react-dom|scheduler|@remix-run|react-router|react-router-dom|turbo-stream)\/|^\0(?:vite\/preload-helper|commonjsHelpers)/;
/** Parts of app/ui that bring a package of their own: each stays with the screens that use it. */
const HEAVY = /\/app\/ui\/(?:form-fields|long-textarea|slider|server-form)\./;
const SHELL =
  /\/app\/features\/(?:shell|palette)\/components\/(?!kbar)|\/app\/features\/(?:[\w-]+\/feature|index|facts)\.schema\./;

/** Icons that the workflow builder alone draws. */
const BUILDER_ICONS =
  /\/icons\/(?:calendar-clock|corner-down-left|database|list|maximize|redo-2|save|wand-sparkles|waypoints|zoom-in|zoom-out|file-plus|git-branch|globe|repeat|scroll-text|timer|webhook)\.js$/;

/** Few files in place of one for each icon and control: a request costs more than the bytes that a screen doesn't use. */
function chunkOf(id: string): string | undefined {
  if (id.includes("/node_modules/lucide-react/")) return BUILDER_ICONS.test(id) ? undefined : "icons";
  if (FRAMEWORK.test(id)) return "framework";
  if (SHELL.test(id)) return "shell";
  if (id.includes("/app/ui/") && !HEAVY.test(id)) return "ui";
  return undefined;
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [tailwindcss(), !process.env.VITEST && remix(remixConfig)],
  resolve: { alias: { "~": resolve("app"), "~db": resolve("db") } },
  // Development: Vite looks through the routes for what the browser needs and meets what only the server has.
  optimizeDeps: { exclude: ["@node-rs/argon2", "better-sqlite3"] },
  // Threads load parts of their own, such as a grammar.
  worker: { format: "es" },
  build: {
    target: "es2022",
    cssMinify: true,
    ...(isSsrBuild ? {} : { rollupOptions: { output: { manualChunks: chunkOf } } }),
  },
}));
