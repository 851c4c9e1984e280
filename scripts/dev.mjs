import "./supported-node.mjs";
import { join } from "node:path";
import { ensureInstalled } from "./install.mjs";
import { buildWorkers } from "./node-bundle.mjs";
import { loadEnvFile, replaceWith, root } from "./process.mjs";

// Vite serves the app through the same server; tsx restarts it when the server changes.
process.chdir(root);
await ensureInstalled();
loadEnvFile();
await buildWorkers();
const watch = [join(root, "node_modules/tsx/dist/cli.mjs"), "watch", "--clear-screen=false"];
replaceWith([...watch, "server.ts", "--dev"], { NODE_ENV: "development" });
