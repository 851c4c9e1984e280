import { sum } from "./counts.mjs";
import { fetchNode } from "./node-program.mjs";
import { runVitest } from "./suites.mjs";

/** The supported major versions: the oldest, the one that old machines bring along, and the newest. */
export const VERSIONS = ["22", "24", "26"];

/** What hostile input may take of a child process, which depends on how V8 reserves memory. */
const LIMITS = [
  "app/core/worker-pool-processes.heavy.test.ts",
  "app/work/extraction",
  "tests/attack/documents.test.ts",
];

const announce = (version) => console.log(`Fetching Node ${version} once, into .node …`);

/** A supported version that this process doesn't use itself. */
export const fetchOtherNode = () =>
  fetchNode(VERSIONS.find((major) => !process.versions.node.startsWith(`${major}.`)) ?? "", announce);

/**
 * Runs the console under another version of Node.
 *
 * @param {string} major
 * @param {{ hasLimits?: boolean }} [options] `hasLimits`: hostile files too, which takes a minute more
 */
export async function runShortForm(major, { hasLimits = false } = {}) {
  const { program, problem } = await fetchNode(major, announce);
  if (!program) {
    console.log(problem);
    return { passed: 0, failed: 1 };
  }
  console.log(`\nThe short form under Node ${major}`);
  const short = await runVitest(["node"], [], { program });
  return hasLimits
    ? sum(short, await runVitest(["unit", "integration", "attack"], LIMITS, { program }))
    : short;
}
