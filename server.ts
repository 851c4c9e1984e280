import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { enableCompileCache, register } from "node:module";
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

/** Each restart evaluates the build again, so that no state in memory outlives its data. */
let generation = 0;

/** Propagates the importer's generation. */
const GENERATIONS = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const [generation] = /\\?generation=\\d+$/.exec(context.parentURL ?? "") ?? [];
  const isOwn = generation && found.url.includes("/build/server/") && !found.url.includes("?");
  return isOwn ? { ...found, url: found.url + generation } : found;
}`;

function loadBuild(): Promise<ServerBuild> {
  if (vite)
    return vite.ssrLoadModule("virtual:remix/server-build") as Promise<unknown> as Promise<ServerBuild>;
  const file = join(root, "build/server/index.js");
  if (!existsSync(file))
    throw new Error("There is no build. Run `npm run build`, or `npm start`, which does it.");
  const address = pathToFileURL(file).href;
  return import(generation === 0 ? address : `${address}?generation=${generation}`) as Promise<ServerBuild>;
}

const loadEntry = async () => (await loadBuild()).entry.module as unknown as Entry;

let entry = await loadEntry().catch(fail);

const start = () =>
  entry.start({
    server,
    loadBuild,
    root,
    restart,
    ...(vite ? { developmentMiddleware: vite.middlewares } : {}),
  });

/** Stops everything but the listening socket, does the work, and starts again. */
async function restart(work: () => Promise<void>): Promise<void> {
  if (stopping) return;
  await entry.stop({ restarting: true });
  await work();
  if (generation === 0 && !vite) register(`data:text/javascript,${encodeURIComponent(GENERATIONS)}`);
  // The second attempt rolls back an unusable restore.
  for (const isLast of [false, true]) {
    generation += 1;
    vite?.moduleGraph.invalidateAll();
    try {
      entry = await loadEntry();
      await start();
      return;
    } catch (error) {
      if (isLast) fail(error);
      await entry.stop({ restarting: true });
    }
  }
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

await start().catch(fail);
