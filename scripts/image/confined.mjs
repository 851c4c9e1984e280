import { spawn } from "node:child_process";
import { root } from "../process.mjs";

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */

/** @type {Set<ChildProcess>} */
const running = new Set();
let isEnding = false;

/**
 * Starts a command as the first process of its own PID and mount namespace: when it ends, or this process does, even
 * by SIGKILL, the kernel ends all that it started and removes its mounts.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function startConfined(command, args, env = process.env) {
  if (isEnding) throw new Error("The run was interrupted.");
  const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const child = spawn("setpriv", ["--pdeathsig", "KILL", "unshare", ...namespaces, command, ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const printed = { text: "" };
  const collect = (chunk) => {
    printed.text += chunk;
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  /** @type {Promise<number>} */
  const ended = new Promise((done) => {
    child.on("error", (error) => {
      collect(error.message);
      running.delete(child);
      done(127);
    });
    child.on("close", (code) => {
      running.delete(child);
      done(code ?? 1);
    });
  });
  return { child, printed, ended };
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<string>} its output
 * @throws Error with the output if it fails
 */
export async function runConfined(command, args, env = process.env) {
  const { printed, ended } = startConfined(command, args, env);
  const code = await ended;
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${printed.text}`);
  return printed.text.trim();
}

/** Ends all that runs; nothing can be started afterwards. */
export async function endConfined() {
  isEnding = true;
  const ends = [...running].map((child) => new Promise((done) => child.once("close", done)));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(ends);
}
