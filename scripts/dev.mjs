import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled } from "./install.mjs";
import { bin, root } from "./process.mjs";

// Vite serves the app through the same server; tsx restarts it when the server changes.
process.chdir(root);
await ensureInstalled();
if (existsSync(".env")) process.loadEnvFile(".env");
const workers = join(root, "scripts/build-workers.mjs");
if (existsSync(workers)) await import(workers).then((module) => module.buildWorkers());
const child = spawn(
  process.execPath,
  [bin("tsx/dist/cli.mjs"), "watch", "--clear-screen=false", "server.ts", "--dev"],
  {
    stdio: "inherit",
    env: { ...process.env, NODE_ENV: "development" },
  },
);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("close", (code) => process.exit(code ?? 0));
