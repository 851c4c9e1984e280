import { resolve } from "node:path";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import remixConfig from "./remix.config.js";

export default defineConfig({
  plugins: [tailwindcss(), !process.env.VITEST && remix(remixConfig)],
  resolve: { alias: { "~": resolve("app"), "~db": resolve("db") } },
  // Development: Vite looks through the routes for what the browser needs and meets what only the server has.
  optimizeDeps: { exclude: ["@node-rs/argon2", "better-sqlite3"] },
  // Threads load parts of their own, such as a grammar.
  worker: { format: "es" },
  build: { target: "es2022", cssMinify: true },
});
