import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

const isShown = process.argv.includes("--timings");

/** In MB on disk, as `du` counts. */
function sizeOf(path) {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return 0;
  const own = (stats.blocks * 512) / 1_048_576;
  if (!stats.isDirectory()) return own;
  return readdirSync(path).reduce((total, name) => total + sizeOf(join(path, name)), own);
}

/**
 * Does a part of a start; `npm start -- --timings` prints its seconds, and the MB of the folder that it fills.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {() => string} [folder]
 * @returns {Promise<T>}
 */
export async function phase(name, work, folder) {
  const from = performance.now();
  const result = await work();
  if (isShown) {
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    const size = folder ? `  ${sizeOf(folder()).toFixed(0).padStart(5)} MB` : "";
    console.log(`  ${name.padEnd(10)}${seconds.padStart(6)} s${size}`);
  }
  return result;
}
