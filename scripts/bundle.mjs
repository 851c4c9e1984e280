import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { publishBuild, stageBuild, stampBuild } from "./builds.mjs";
import { buildWorkers, EXTERNAL, nodeBundle } from "./node-bundle.mjs";
import { root, runNode } from "./process.mjs";

/** V8 holds a source in two bytes a letter if one of its letters is wide: 8 MB more. esbuild leaves those in patterns. */
function escapeWideLetters(folder) {
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".js"))) {
    const file = join(folder, name);
    const escaped = readFileSync(file, "utf8").replace(
      /[\u0080-\ud7ff\ue000-\uffff]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    writeFileSync(file, escaped);
  }
}

/** Bundles Remix's output with its packages. */
async function bundleServer(esbuild, folder) {
  const plain = join(folder, "remix");
  renameSync(join(folder, "server"), plain);
  await esbuild.build({
    ...nodeBundle(),
    entryPoints: [join(plain, "index.js")],
    outdir: join(folder, "server"),
    splitting: true,
  });
  rmSync(plain, { recursive: true });
  escapeWideLetters(join(folder, "server"));
  await esbuild.build({
    ...nodeBundle(),
    entryPoints: {
      server: "server.ts",
      "audit-adopt": "programs/audit-adopt.ts",
      "audit-verify": "programs/audit-verify.ts",
      "install-ocr": "programs/install-ocr.ts",
      "owner-link": "programs/owner-link.ts",
      restore: "programs/restore.ts",
      "restore-drill": "programs/restore-drill.ts",
      "seed-demo": "programs/seed-demo.ts",
    },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
  });
}

const TEXT = /\.(?:js|css|svg|json)$/;
/** Bytes below which compression gains too little. */
const MIN_BYTES = 256;
const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Compresses text files next to the originals, as many at once as there are threads. */
async function compressAssets(folder) {
  const names = readdirSync(folder).filter((name) => TEXT.test(name));
  const compress = async (name) => {
    const file = join(folder, name);
    const content = readFileSync(file);
    if (content.length < MIN_BYTES) return;
    const params = {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    const [small, usual] = await Promise.all([brotli(content, { params }), deflate(content, { level: 9 })]);
    writeFileSync(`${file}.br`, small);
    writeFileSync(`${file}.gz`, usual);
  };
  await Promise.all(names.map(compress));
}

/** Sources, maps and other systems' binaries, which are unused at run time. */
const UNUSED = new RegExp(
  [
    "\\.map$",
    `/better-sqlite3/(?:deps|src|binding\\.gyp|prebuilds/(?!linux(?:musl)?-|${process.platform}-)|prebuilds/[^/]*-(?!${process.arch}\\.)[^/]*$)`,
    "/tesseract\\.js-core/tesseract-core(?!-simd-lstm\\.(?:js|wasm)$)",
    "/@hyzyla/pdfium/dist/(?!index\\.esm\\.js$|pdfium\\.wasm$).",
    "/quickjs-wasi/extensions/",
  ].join("|"),
);
/** Only for compiling better-sqlite3. */
const EXCLUDED = new Set(["node-addon-api"]);

/** Copies the unbundled packages, and what they need, for a built console. */
function copyRuntimePackages(target) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const names = new Set(EXTERNAL);
  // Sets may grow during iteration.
  for (const name of names) {
    const { dependencies = {}, optionalDependencies = {} } = packages[`node_modules/${name}`];
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies }))
      if (!EXCLUDED.has(needed)) names.add(needed);
  }
  for (const name of names) {
    const from = join(root, "node_modules", name);
    // Natives of other systems aren't installed.
    if (!existsSync(from)) continue;
    cpSync(from, join(target, "node_modules", name), {
      recursive: true,
      dereference: true,
      filter: (file) => !UNUSED.test(file.slice(root.length)),
    });
  }
}

/** A package.json with the commands that a built console has. */
function writeManifest(folder) {
  const { name, version, type, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const scripts = {
    start: "node build/server.mjs",
    "audit:adopt": "node build/audit-adopt.mjs",
    "audit:verify": "node build/audit-verify.mjs",
    "install:ocr": "node build/install-ocr.mjs",
    "owner:link": "node build/owner-link.mjs",
    restore: "node build/restore.mjs",
    "restore:drill": "node build/restore-drill.mjs",
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
    const esbuild = await import("esbuild");
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
