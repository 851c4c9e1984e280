import { spawn } from "node:child_process";
import { environmentOf, fail } from "./process.mjs";

/** Set for the child. */
const MARK = "QUARTERDECK_RERUN";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Grace period of a child whose parent was killed, in ms. */
const ORPHAN_TIMEOUT = 10_000;

export const isRerun = () => process.env[MARK] !== undefined && process.channel !== undefined;

/**
 * Runs this script again in a child process under another Node, and ends as it ends: this process only passes on signals
 * and the exit code. It never returns.
 *
 * @param {string} program
 */
export async function rerun(program) {
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
  await new Promise(() => undefined);
}

/** In the child: without its parent nobody could stop it, and a console would keep the data folder's lock. */
export function endWithParent() {
  delete process.env[MARK];
  process.on("disconnect", () => {
    setTimeout(() => process.kill(process.pid, "SIGKILL"), ORPHAN_TIMEOUT).unref();
    process.kill(process.pid, "SIGTERM");
  });
  process.channel?.unref();
}
