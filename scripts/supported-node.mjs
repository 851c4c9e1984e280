import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { installInto } from "./install.mjs";
import { isSupportedNode, NODE_NEEDED } from "./node-version.mjs";
import { fail, root } from "./process.mjs";

// Imported first by every script: under an older Node the script runs again in a child process with a newer one, which
// npm's registry has as a package, and this process only passes on signals and the exit code.

/** Set for the child, which then ends with its parent. */
const MARK = "QUARTERDECK_NODE_CHILD";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Grace period of a script whose parent was killed, in ms. */
const ORPHAN_TIMEOUT = 10_000;

const lock = join(root, "scripts/node");

/** The system's package in scripts/node; undefined where there is none. */
function nodePackage() {
  // The packages are linked to glibc, which the report names.
  if (process.platform !== "linux" || !process.report.getReport().header.glibcVersionRuntime)
    return undefined;
  const name = `node-linux-${process.arch}`;
  const { packages } = JSON.parse(readFileSync(join(lock, "package-lock.json"), "utf8"));
  const found = packages[`node_modules/${name}`];
  return found && { name, version: found.version };
}

/** @returns {Promise<string>} the program's path */
async function fetchNode() {
  const wanted = nodePackage();
  if (!wanted) fail(`${NODE_NEEDED} Install Node 24 (https://nodejs.org) and try again.`);
  const { name, version } = wanted;
  const folder = join(root, ".node", version);
  const program = join(folder, name, "bin/node");
  if (existsSync(program)) return program;
  console.log(`Node ${process.versions.node} is too old: fetching Node ${version} once, into .node …`);
  const result = await installInto(lock, folder);
  if (result.code !== 0) {
    process.stderr.write(result.output);
    fail(`Node ${version} could not be fetched: npm's output is above. Install Node 24 and try again.`);
  }
  // Headers and documentation are a third of it.
  for (const part of ["include", "share"]) rmSync(join(folder, name, part), { recursive: true, force: true });
  return program;
}

/** Runs this script under another Node and ends as it ends. */
async function runAgain(program) {
  const child = spawn(program, [...process.execArgv, ...process.argv.slice(1)], {
    // A session of its own: a terminal's Ctrl+C would reach it twice, directly and passed on.
    detached: true,
    env: {
      ...process.env,
      [MARK]: "1",
      // npm and programs of packages are scripts for the first Node on the path.
      PATH: [dirname(program), process.env.PATH ?? ""].join(delimiter),
      NODE: program,
      npm_node_execpath: program,
    },
    // The channel closes with this process, however it ends.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`${program} could not be started: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  // The script below the import never begins here.
  await new Promise(() => undefined);
}

/** Without its parent nobody could stop this process, and it would hold the data folder's lock. */
function endWithParent() {
  delete process.env[MARK];
  process.on("disconnect", () => {
    setTimeout(() => process.kill(process.pid, "SIGKILL"), ORPHAN_TIMEOUT).unref();
    process.kill(process.pid, "SIGTERM");
  });
  process.channel?.unref();
}

if (!isSupportedNode()) await runAgain(await fetchNode());
else if (process.env[MARK] && process.channel) endWithParent();
