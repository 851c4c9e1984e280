import { spawn } from "node:child_process";
import { fetchNode } from "./node-program.mjs";
import { isSupportedNode, NODE_NEEDED } from "./node-version.mjs";
import { environmentOf, fail } from "./process.mjs";

// Imported first by every script: under an older Node the script runs again in a child process with a newer one, which
// npm's registry has as a package, and this process only passes on signals and the exit code.

/** Set for the child, which then ends with its parent. */
const MARK = "QUARTERDECK_NODE_CHILD";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Grace period of a script whose parent was killed, in ms. */
const ORPHAN_TIMEOUT = 10_000;

async function bringNode() {
  const { program, problem } = await fetchNode("24", (version) =>
    console.log(`Node ${process.versions.node} is too old: fetching Node ${version} once, into .node …`),
  );
  if (!program) fail(`${problem}\n${NODE_NEEDED} Install Node 24 (https://nodejs.org) and try again.`);
  return program;
}

/** Runs this script under another Node and ends as it ends. */
async function runAgain(program) {
  const child = spawn(program, [...process.execArgv, ...process.argv.slice(1)], {
    // A session of its own: a terminal's Ctrl+C would reach it twice, directly and passed on.
    detached: true,
    env: { ...process.env, ...environmentOf(program), [MARK]: "1" },
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

if (!isSupportedNode()) await runAgain(await bringNode());
else if (process.env[MARK] && process.channel) endWithParent();
