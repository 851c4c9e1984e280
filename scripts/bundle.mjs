import { renameSync, rmSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compressAssets } from "./compress-assets.mjs";
import { stampBuild } from "./freshness.mjs";
import { nodeBundle } from "./node-bundle.mjs";
import { root, runNode } from "./process.mjs";

/**
 * Escapes characters that esbuild leaves in regular expressions: one makes V8 hold an 8 MB file with two bytes per
 * character.
 */
async function escapeNonAscii(folder) {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const text = await readFile(file, "utf8");
    const escaped = text.replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    if (escaped !== text && name.endsWith(".js")) await writeFile(file, escaped);
  }
}

/** For profiles (`npm run bench:profile`). */
const hasMaps = process.env.SOURCE_MAPS === "1";

/** Bundles Remix's output with its packages. */
async function bundleServer(esbuild) {
  const plain = join(root, "build/remix");
  renameSync(join(root, "build/server"), plain);
  await esbuild.build({
    ...nodeBundle(),
    entryPoints: [join(plain, "index.js")],
    outdir: join(root, "build/server"),
    splitting: true,
    sourcemap: hasMaps,
  });
  // Columns move, so not with a map.
  if (!hasMaps) await escapeNonAscii(join(root, "build/server"));
  rmSync(plain, { recursive: true });
  await esbuild.build({
    ...nodeBundle(),
    entryPoints: {
      server: "server.ts",
      "audit-verify": "db/audit-verify.ts",
      "seed-demo": "db/seed-demo.ts",
    },
    outdir: "build",
    outExtension: { ".js": ".mjs" },
  });
}

/** The production build; only native packages are read from node_modules. */
export async function build() {
  rmSync(join(root, "build"), { recursive: true, force: true });
  const remix = await runNode("@remix-run/dev/dist/cli.js", ["vite:build"], {
    env: { NODE_ENV: "production" },
  });
  if (remix.code !== 0) return remix;

  try {
    // Imported late: this file loads before packages are installed.
    const [esbuild, { buildWorkers }] = await Promise.all([import("esbuild"), import("./build-workers.mjs")]);
    const parts = await Promise.allSettled([
      buildWorkers(),
      bundleServer(esbuild),
      compressAssets(join(root, "build/client/assets")),
    ]);
    // It leaves a helper process, and `npm start` continues as the server.
    await esbuild.stop();
    const failed = parts.find(({ status }) => status === "rejected");
    if (failed) throw failed.reason;
  } catch (error) {
    return { code: 1, output: `${remix.output}\n${error instanceof Error ? error.message : error}\n` };
  }
  stampBuild();
  return remix;
}
