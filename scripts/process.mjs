import { spawn } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root, independent of the working directory. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

export const bin = (path) => join(root, "node_modules", path);

/**
 * Runs a command to its end, without standard input, so that nothing waits for a user.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, show?: boolean }} [options] `show` passes the output through as
 *   it comes; otherwise it is only collected
 * @returns {Promise<{ code: number, output: string }>} 127 when the command can't be started
 */
export function run(command, args, { env = {}, show = false } = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", show ? "inherit" : "pipe", show ? "inherit" : "pipe"],
    });
    let output = "";
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout?.setEncoding("utf8").on("data", collect);
    child.stderr?.setEncoding("utf8").on("data", collect);
    child.on("error", (error) => done({ code: 127, output: `${output}${error.message}\n` }));
    child.on("close", (code) => done({ code: code ?? 1, output }));
  });
}

export const runNode = (path, args = [], options = {}) =>
  run(process.execPath, [bin(path), ...args], options);

/** Prints a message without a stack and exits. */
export function fail(message) {
  console.error(message);
  process.exit(1);
}
