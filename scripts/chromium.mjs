import { existsSync } from "node:fs";
import { aptInstall, canUseApt, onPath } from "./apt.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/**
 * The Chromium for the end-to-end tests: the one named by CHROMIUM_PATH, one on the PATH, or Debian's package.
 *
 * @returns {Promise<string | undefined>} its path; without one, what to do has been said
 */
export async function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (existsSync(named)) return named;
    console.error(`CHROMIUM_PATH names ${named}, which doesn't exist.`);
    return undefined;
  }
  const found = onPath(NAMES);
  if (found) return found;
  if (canUseApt()) {
    console.log("Installing Chromium …");
    if (await aptInstall(["chromium"])) return onPath(NAMES);
  }
  console.error(
    "No Chromium was found for the end-to-end tests. Install one (Debian: sudo apt-get install -y chromium), " +
      "or set CHROMIUM_PATH to the program.",
  );
  return undefined;
}
