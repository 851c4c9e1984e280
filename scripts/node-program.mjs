import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installInto } from "./install.mjs";
import { root } from "./process.mjs";
import { phase } from "./timings.mjs";

/**
 * A version of Node as npm's registry has it, which scripts/node pins for each major version.
 *
 * @param {string} major
 * @returns {{ name: string, version: string, lock: string } | undefined} undefined where there is none for this system
 */
function nodePackage(major) {
  // The packages are linked to glibc, which the report names.
  if (process.platform !== "linux" || !process.report.getReport().header.glibcVersionRuntime)
    return undefined;
  const name = `node-linux-${process.arch}`;
  const lock = join(root, "scripts/node", major);
  const { packages } = JSON.parse(readFileSync(join(lock, "package-lock.json"), "utf8"));
  const found = packages[`node_modules/${name}`];
  return found && { name, version: found.version, lock };
}

/** How npm reports a failure; one of an optional package is no error to it. */
const FAILURE = /attempt \d+ failed with (\S+)|^npm http fetch GET ([45]\d\d)|^npm error (.+)/m;

const sayFetching = (version) => console.log(`Fetching Node ${version} once, into .node …`);

/**
 * Fetches a version of Node once, into .node.
 *
 * @param {string} major
 * @param {(version: string) => void} [announce] called before it is fetched
 * @returns {Promise<{ program?: string, problem?: string }>} the program's path, or why there is none
 */
export async function fetchNode(major, announce = sayFetching) {
  const wanted = nodePackage(major);
  if (!wanted) return { problem: "There is no package of Node for this system." };
  const { name, version, lock } = wanted;
  const folder = join(root, ".node", version);
  const program = join(folder, name, "bin/node");
  if (existsSync(program)) return { program };
  announce(version);
  const { code, output } = await phase(
    "node",
    () => installInto(lock, folder),
    () => folder,
  );
  if (code !== 0 || !existsSync(program)) {
    rmSync(folder, { recursive: true, force: true });
    const reason = FAILURE.exec(output)?.slice(1).find(Boolean);
    return { problem: `Node ${version} could not be fetched${reason ? ` (npm: ${reason})` : ""}.` };
  }
  // Headers and documentation are a third of it.
  for (const part of ["include", "share"]) rmSync(join(folder, name, part), { recursive: true, force: true });
  return { program };
}

/** The supported major versions: the oldest, the one that old machines bring along, and the newest. */
export const VERSIONS = ["22", "24", "26"];

/** A supported version that this process doesn't use itself. */
export const fetchOtherNode = () =>
  fetchNode(VERSIONS.find((major) => !process.versions.node.startsWith(`${major}.`)) ?? "");
