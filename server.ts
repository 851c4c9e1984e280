import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import { assertSupportedNode } from "./scripts/node-version.mjs";

assertSupportedNode();
// Speeds up later starts.
enableCompileCache();

const development = process.argv.includes("--dev");
/** What a built console reads lies with it, wherever it was started. */
const root = development ? process.cwd() : dirname(import.meta.dirname);

/** Keeps scripts/builds.mjs from removing this build. One for an image has no folder of marks. */
function markBuild(): void {
  const mark = join(root, "in-use", String(process.pid));
  if (!existsSync(dirname(mark))) return;
  try {
    writeFileSync(mark, "");
    process.on("exit", () => rmSync(mark, { force: true }));
  } catch {
    // A console starts on a full or read-only disk too; nothing is built there.
  }
}
markBuild();

// Only through the build's entry: direct imports would create a second copy with a second database connection.
type Entry = typeof import("./app/entry.server");

const server = createServer();
server.requestTimeout = 0;

async function developmentServer() {
  const { createServer: createVite } = await import("vite");
  return createVite({ server: { middlewareMode: true, hmr: { server } }, appType: "custom" });
}

const vite = development ? await developmentServer() : undefined;

function loadBuild(): Promise<ServerBuild> {
  if (vite)
    return vite.ssrLoadModule("virtual:remix/server-build") as Promise<unknown> as Promise<ServerBuild>;
  const file = join(root, "build/server/index.js");
  if (!existsSync(file))
    throw new Error("There is no build. Run `npm run build`, or `npm start`, which does it.");
  return import(pathToFileURL(file).href) as Promise<ServerBuild>;
}

const entry = await loadBuild()
  .then((build) => build.entry.module as unknown as Entry)
  .catch(fail);

/** Runs this program again in its own process and on its own port, so that nothing in memory outlives its data. */
function startAgain(): never {
  const address = server.address();
  const port = typeof address === "object" && address ? { PORT: String(address.port) } : {};
  const [, , ...options] = process.argv;
  const command = [process.execPath, ...process.execArgv, import.meta.filename, ...options];
  process.execve?.(process.execPath, command, { ...process.env, ...port });
  return fail("This system can't start a program again. Start the console.");
}

/** Stops everything but the listening socket, does the work, and starts again. */
async function restart(work: () => Promise<void>): Promise<void> {
  if (stopping) return;
  await entry.stop({ restarting: true });
  await work();
  startAgain();
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (stopping) process.exit(1);
    stopping = true;
    entry.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}

await entry
  .start({
    server,
    loadBuild,
    root,
    restart,
    ...(vite ? { developmentMiddleware: vite.middlewares } : {}),
  })
  // The next start rolls back an unusable restore, and isn't one of a restore itself.
  .catch((error) => (entry.isRestoreUnanswered() ? startAgain() : fail(error)));
