import { existsSync } from "node:fs";
import { join } from "node:path";
import { CHECKS, root, runNode } from "./process.mjs";

/** Runs a program of the checks' own packages. */
const runCheck = (path, args) => runNode(path, args, { folder: CHECKS });

const SOURCES = ["app", "db", "programs", "bench", "tests", "scripts", "server.ts"];

/**
 * The checks of the source that need no build. Each counts as one test.
 *
 * @type {{ name: string, run: () => Promise<{ code: number, output: string }> }[]}
 */
export const gates = [
  {
    name: "types",
    // The native compiler takes a third of the time; other tools need the `typescript` package. In one thread it
    // takes three fifths of the processor time, and something always runs beside it.
    run: () =>
      runCheck("typescript-native/bin/tsc", [
        "--noEmit",
        "--singleThreaded",
        "--incremental",
        "--tsBuildInfoFile",
        ".cache/tsc.tsbuildinfo",
      ]),
  },
  {
    name: "format and lint",
    run: () => runCheck("@biomejs/biome/bin/biome", ["ci", "--colors=off", "--error-on-warnings", "."]),
  },
  {
    name: "dependency rules",
    run: () =>
      runCheck("dependency-cruiser/bin/dependency-cruise.mjs", [
        ...SOURCES.filter((path) => existsSync(join(root, path))),
        ...["--config", ".dependency-cruiser.cjs", "--output-type", "err"],
        ...["--cache", ".cache/dependency-cruiser", "--cache-strategy", "content"],
      ]),
  },
  {
    name: "unused code",
    run: () => runCheck("knip/bin/knip.js", ["--no-progress", "--cache", "--cache-location", ".cache/knip"]),
  },
];

/**
 * Runs jobs, `width` at a time, with the output of failures.
 * @returns {Promise<{ passed: number, failed: number }>} number of jobs
 */
export async function runJobs(jobs, { width = 2, print = console.log } = {}) {
  const waiting = [...jobs];
  const counts = { passed: 0, failed: 0 };
  async function worker() {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const from = performance.now();
      const { code, output } = await job.run();
      const seconds = ((performance.now() - from) / 1000).toFixed(1);
      print(`${code === 0 ? "ok    " : "FAILED"} ${job.name} (${seconds} s)`);
      if (code !== 0) print(output.trimEnd());
      counts[code === 0 ? "passed" : "failed"] += 1;
    }
  }
  await Promise.all(Array.from({ length: width }, worker));
  return counts;
}
