import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { publishBuild, stageBuild } from "./builds.mjs";
import { compressAssets } from "./compress-assets.mjs";
import { stampBuild } from "./freshness.mjs";
import { nodeBundle } from "./node-bundle.mjs";
import { root, runNode } from "./process.mjs";
import { copyRuntimePackages } from "./runtime-packages.mjs";

/** For profiles (`npm run bench:profile`). */
const hasMaps = process.env.SOURCE_MAPS === "1";

/** Bundles Remix's output with its packages. */
async function bundleServer(esbuild, folder) {
  const plain = join(folder, "remix");
  renameSync(join(folder, "server"), plain);
  await esbuild.build({
    ...nodeBundle(),
    entryPoints: [join(plain, "index.js")],
    outdir: join(folder, "server"),
    splitting: true,
    sourcemap: hasMaps,
  });
  rmSync(plain, { recursive: true });
  await esbuild.build({
    ...nodeBundle(),
    entryPoints: {
      server: "server.ts",
      "audit-verify": "programs/audit-verify.ts",
      restore: "programs/restore.ts",
      "seed-demo": "programs/seed-demo.ts",
    },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
  });
}

/** A package.json with the commands that a built console has. */
function writeManifest(folder) {
  const { name, version, type, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const scripts = {
    start: "node build/server.mjs",
    "audit:verify": "node build/audit-verify.mjs",
    restore: "node build/restore.mjs",
    "seed:demo": "node build/seed-demo.mjs",
  };
  const manifest = { name, version, private: true, type, license, scripts };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * The production build, with all that a console reads while it runs.
 * @param {{ target?: string }} [options] `target`: the folder to make it in, instead of what `npm start` runs
 */
export async function build({ target } = {}) {
  const staging = stageBuild();
  const folder = join(staging, "build");
  const remix = await runNode("@remix-run/dev/dist/cli.js", ["vite:build"], {
    env: { NODE_ENV: "production", BUILD_DIRECTORY: relative(root, folder) },
  });
  if (remix.code !== 0) {
    rmSync(staging, { recursive: true });
    return remix;
  }
  try {
    // Imported late: this file loads before packages are installed.
    const [esbuild, { buildWorkers }] = await Promise.all([import("esbuild"), import("./build-workers.mjs")]);
    const parts = await Promise.allSettled([
      buildWorkers(join(folder, "workers")),
      bundleServer(esbuild, folder),
      compressAssets(join(folder, "client/assets")),
    ]);
    // It leaves a helper process, and `npm start` continues as the server.
    await esbuild.stop();
    const failed = parts.find(({ status }) => status === "rejected");
    if (failed) throw failed.reason;
    copyRuntimePackages(staging);
    writeManifest(staging);
    cpSync(join(root, "db/migrations"), join(staging, "db/migrations"), { recursive: true });
    stampBuild(folder);
    if (target) cpSync(staging, resolve(target), { recursive: true });
    else publishBuild(staging);
  } catch (error) {
    return { code: 1, output: `${remix.output}\n${error instanceof Error ? error.message : error}\n` };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return remix;
}
