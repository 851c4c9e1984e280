import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The repository's root, independent of the working directory. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Folders with packages of their own, which a start doesn't need. */
export const TESTS = join(root, "tests");
export const CHECKS = join(root, "scripts/checks");

/**
 * Runs a command to its end, without standard input, so that nothing waits for a user.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, cwd?: string, show?: boolean, onLine?: (line: string) => void,
 *   timeoutMs?: number }} [options] `show` passes the output through as it comes; otherwise it is only collected.
 *   `timeoutMs` ends it and all that it started, which doesn't outlive this process either
 * @returns {Promise<{ code: number, output: string }>} 127 when the command can't be started
 */
export function run(command, args, { env = {}, cwd = root, show = false, onLine, timeoutMs } = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", show ? "inherit" : "pipe", show ? "inherit" : "pipe"],
      // A group of its own, by which all of it ends.
      detached: timeoutMs !== undefined,
    });
    const withdraw = timeoutMs === undefined ? () => undefined : endGroupAfter(child, timeoutMs);
    let output = "";
    const collect = (chunk) => {
      output += chunk;
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", collect);
      if (stream && onLine) createInterface({ input: stream }).on("line", onLine);
    }
    const end = (code, more = "") => {
      withdraw();
      done({ code, output: output + more });
    };
    child.on("error", (error) => end(127, `${error.message}\n`));
    child.on("close", (code) => end(code ?? 1));
  });
}

/** Ends a detached child and all that it started, after a time or with this process. @returns withdraws it */
function endGroupAfter(child, ms) {
  const end = () => child.pid && process.kill(-child.pid, "SIGKILL");
  const timer = setTimeout(end, ms);
  process.once("exit", end);
  return () => {
    clearTimeout(timer);
    process.off("exit", end);
  };
}

/** Runs a program of a package. @param {string} [folder] the folder whose package it is */
export const runNode = (path, args = [], { folder = root, ...options } = {}) =>
  run(process.execPath, [join(folder, "node_modules", path), ...args], options);

/** Variables by which npm and the programs of packages, which are scripts, run under another Node. */
export const environmentOf = (program) => ({
  PATH: [dirname(program), process.env.PATH ?? ""].join(delimiter),
  NODE: program,
  npm_node_execpath: program,
});

/**
 * Reads `.env`; the environment takes precedence over it. The console reads the keys in it again when they change, by the
 * names that came from it.
 */
export function loadEnvFile() {
  const path = join(root, ".env");
  const present = new Set(Object.keys(process.env));
  if (existsSync(path)) process.loadEnvFile(path);
  process.env.ENV_FILE_VARIABLES ??= Object.keys(process.env)
    .filter((name) => !present.has(name))
    .join(" ");
  process.env.ENV_FILE = path;
}

export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Prints a message without a stack and exits. */
export function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Runs a Node program in this one's place: with its terminal, signals and exit code. */
export function replaceWith(args, env = {}) {
  const child = spawn(process.execPath, args, { stdio: "inherit", env: { ...process.env, ...env } });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("close", (code) => process.exit(code ?? 1));
}
