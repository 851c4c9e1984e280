import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { aptIdle, aptInstall, canUseApt, onPath } from "./apt.mjs";
import { fail, root, run } from "./process.mjs";

const MIN_NODE_VERSION = [20, 19];
/** Compiles better-sqlite3 without a prebuilt binary. */
const TOOLCHAIN = ["python3", "make", "g++"];

const modules = join(root, "node_modules");
/** The Node version of the native modules, which npm doesn't record. */
const stamp = join(modules, ".made-for");
const runtime = `${process.platform} ${process.arch} ${process.versions.modules}`;

function ensureNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > MIN_NODE_VERSION[0] || (major === MIN_NODE_VERSION[0] && minor >= MIN_NODE_VERSION[1])) return;
  fail(`Node ${MIN_NODE_VERSION.join(".")} or newer is needed; this is ${process.version}.`);
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, "utf8")).packages;
}

/** Whether node_modules differs from the lock file or was made for another Node. */
function isStale() {
  const installed = join(modules, ".package-lock.json");
  if (!existsSync(installed)) return true;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") !== runtime) return true;
  const have = packagesOf(installed);
  return Object.entries(packagesOf(join(root, "package-lock.json"))).some(
    ([path, wanted]) =>
      // Optional packages may be for another system.
      path !== "" &&
      (have[path] ? have[path].version !== wanted.version : !(wanted.optional || wanted.devOptional)),
  );
}

/** Local headers save node-gyp a download. */
function headers() {
  const folder = resolve(dirname(process.execPath), "..");
  if (!existsSync(join(folder, "include/node/node.h"))) return {};
  return { npm_config_nodedir: folder, npm_package_config_node_gyp_nodedir: folder };
}

const npmCi = () =>
  // `include=dev`: the build's tools are needed under NODE_ENV=production too.
  run("npm", ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"], { env: headers() });

export async function ensureInstalled() {
  ensureNode();
  if (!isStale()) return;
  console.log("Installing packages …");
  let result = await npmCi();
  if (result.code !== 0) {
    const missing = TOOLCHAIN.filter((tool) => !onPath([tool]));
    if (missing.length > 0) {
      if (!canUseApt()) {
        process.stderr.write(result.output);
        fail(
          `The packages could not be installed. ${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing, ` +
            "which better-sqlite3 needs to be compiled. Install them and try again:\n" +
            `  sudo apt-get install -y ${TOOLCHAIN.join(" ")}`,
        );
      }
      console.log(`Installing ${missing.join(", ")} to compile better-sqlite3 …`);
      if (await aptInstall(TOOLCHAIN)) result = await npmCi();
    }
  }
  if (result.code !== 0) {
    process.stderr.write(result.output);
    // The end of this process would leave another installation half done.
    await aptIdle();
    fail("The packages could not be installed: npm's output is above.");
  }
  writeFileSync(stamp, runtime);
}
