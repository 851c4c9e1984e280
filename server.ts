import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerBuild } from "@remix-run/node";

const root = process.cwd();
const development = process.argv.includes("--dev");

// The application is reached through the build's entry alone: importing its modules here would make a second copy of
// them, with a second database connection.
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
  const file = resolve(root, "build/server/index.js");
  if (!existsSync(file))
    throw new Error("There is no build. Run `npm run build`, or `npm start`, which does it.");
  return import(pathToFileURL(file).href) as Promise<ServerBuild>;
}

const entry = (await loadBuild()).entry.module as unknown as Entry;

try {
  await entry.start({
    server,
    loadBuild,
    root,
    ...(vite ? { developmentMiddleware: vite.middlewares } : {}),
  });
} catch (error) {
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
