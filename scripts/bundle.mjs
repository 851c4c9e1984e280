import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compressAssets } from "./compress-assets.mjs";
import { stampBuild } from "./freshness.mjs";
import { root, runNode } from "./process.mjs";

async function bundleServer() {
  // Imported late: this file is loaded before the packages are installed.
  const esbuild = await import("esbuild");
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: {
      server: "server.ts",
      "audit-verify": "db/audit-verify.ts",
      "seed-demo": "db/seed-demo.ts",
    },
    outdir: "build",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    sourcemap: true,
    logLevel: "silent",
  });
  // It leaves a helper process behind, and `npm start` goes on as the server.
  await esbuild.stop();
}

/**
 * The production build: browser and server bundles by Remix, the worker threads' entries, the process's own entry
 * file, and the command that checks the audit trail. Packages stay outside of the server's files: they are read from node_modules, which the native ones need.
 */
export async function build() {
  rmSync(join(root, "build"), { recursive: true, force: true });
  const remix = await runNode("@remix-run/dev/dist/cli.js", ["vite:build"], {
    env: { NODE_ENV: "production" },
  });
  if (remix.code !== 0) return remix;

  try {
    const workers = join(root, "scripts/build-workers.mjs");
    if (existsSync(workers)) await import(workers).then((module) => module.buildWorkers());
    await bundleServer();
    await compressAssets(join(root, "build/client/assets"));
  } catch (error) {
    return { code: 1, output: `${remix.output}\n${error instanceof Error ? error.message : error}\n` };
  }
  stampBuild();
  return remix;
}
