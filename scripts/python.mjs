import { existsSync } from "node:fs";
import { join } from "node:path";
import { aptInstall, canUseApt } from "./apt.mjs";
import { run } from "./process.mjs";

/** In ms. */
const INSTALL_TIMEOUT = 10 * 60_000;

export const lastLine = (output) => output.trim().split("\n").at(-1) ?? "";

/** Installs by pip into a virtual environment, as pip is set up on this machine. */
export const pipOf =
  (venv, env = {}) =>
  (args, timeoutMs = INSTALL_TIMEOUT) =>
    run(
      join(venv, "bin/python"),
      ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", ...args],
      { env, timeoutMs },
    );

/**
 * Makes a virtual environment of Python 3, unless it is there.
 * @returns {Promise<string | undefined>} why it can't be made
 */
export async function makeEnvironment(venv) {
  const python = join(venv, "bin/python");
  if (existsSync(python) && (await run(python, ["-m", "pip", "--version"])).code === 0) return undefined;
  const make = () => run("python3", ["-m", "venv", "--clear", venv]);
  let made = await make();
  // Debian's Python comes without the module.
  if (made.code !== 0 && canUseApt() && (await aptInstall(["python3-venv"]))) made = await make();
  if (made.code === 0) return undefined;
  return `a virtual environment of Python 3 can't be made: ${lastLine(made.output)}`;
}
