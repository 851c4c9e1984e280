import { existsSync } from "node:fs";
import { aptInstall, canUseApt, onPath } from "./apt.mjs";

/** Renders without a window, which takes a quarter of these tests' work. */
const SHELL = "chromium-headless-shell";
const NAMES = [SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/**
 * Chromium for the end-to-end tests: CHROMIUM_PATH, Debian's headless shell (installed if possible), or another on the
 * PATH.
 * @returns {Promise<string | undefined>} its path; undefined after printing advice
 */
export async function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (existsSync(named)) return named;
    console.error(`CHROMIUM_PATH names ${named}, which doesn't exist.`);
    return undefined;
  }
  if (!onPath([SHELL]) && canUseApt()) {
    console.log("Installing Chromium …");
    if (!(await aptInstall([SHELL])) && !onPath(NAMES)) await aptInstall(["chromium"]);
  }
  const found = onPath(NAMES);
  if (found) return found;
  console.error(
    "No Chromium was found for the end-to-end tests. Install one (Debian: sudo apt-get install -y " +
      `${SHELL}), or set CHROMIUM_PATH to the program.`,
  );
  return undefined;
}
