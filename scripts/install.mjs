import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { aptIdle } from "./apt.mjs";
import { fail, isRunning, root, run } from "./process.mjs";
import { phase } from "./timings.mjs";

/** What npm reads beside a lock file. */
const MANIFEST = ["package.json", "package-lock.json", ".npmrc"];
/** Time until the progress of a long installation is shown, and between its lines in a log, in ms. */
const PROGRESS_INTERVAL = 10_000;

const STAGING = /^\.installing-(\d+)$/;

const packagesOf = (file) => JSON.parse(readFileSync(file, "utf8")).packages;

/** Whether node_modules differs from the lock file beside it. */
function isStale(folder) {
  const installed = join(folder, "node_modules/.package-lock.json");
  if (!existsSync(installed)) return true;
  const have = packagesOf(installed);
  return Object.entries(packagesOf(join(folder, "package-lock.json"))).some(
    ([path, wanted]) =>
      // Optional packages may be for another system.
      path !== "" &&
      (have[path] ? have[path].version !== wanted.version : !(wanted.optional || wanted.devOptional)),
  );
}

/** Whether this system gets a package of a lock file. */
const isForHere = ({ integrity, os = [process.platform], cpu = [process.arch] }) =>
  integrity && os.includes(process.platform) && cpu.includes(process.arch);

/** The packages that a new installation replaced, beside it until they are deleted. */
const asideOf = (staging, target) => join(staging, `previous-${basename(target)}`);

/** Removes a staging folder. If the swap was cut off between its two renames, it is finished first. */
function clearStaging(staging, target) {
  if (!existsSync(target) && existsSync(asideOf(staging, target)))
    renameSync(join(staging, "node_modules"), target);
  rmSync(staging, { recursive: true, force: true });
}

/** Clears what killed installations left. */
function clearLeftovers(target) {
  const parent = dirname(target);
  for (const name of readdirSync(parent)) {
    const [, pid] = STAGING.exec(name) ?? [];
    if (pid && !isRunning(Number(pid))) clearStaging(join(parent, name), target);
  }
}

/**
 * Adds each package's address at the configured registry to a lock file, which has none so that it names no registry.
 * Without it npm asks for the list of all versions of each package first, a third of the whole work.
 *
 * @param {string} file a copy of a lock file
 * @param {Record<string, unknown>} config npm's
 */
function addAddresses(file, config) {
  const lock = JSON.parse(readFileSync(file, "utf8"));
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!entry.integrity || entry.resolved) continue;
    const name = entry.name ?? path.replace(/^.*node_modules\//, "");
    const registry = config[`${name.split("/")[0]}:registry`] ?? config.registry;
    entry.resolved = `${String(registry).replace(/\/$/, "")}/${name}/-/${basename(name)}-${entry.version}.tgz`;
  }
  writeFileSync(file, JSON.stringify(lock));
}

/** npm's settings; empty if npm can't list them. */
async function npmConfig(cwd) {
  // Warnings, such as of a setting that npm doesn't know, aren't JSON.
  const { code, output } = await run("npm", ["config", "list", "--json", "--loglevel=error"], { cwd });
  try {
    return code === 0 ? JSON.parse(output) : {};
  } catch {
    return {};
  }
}

/** Shows what npm reports while it takes long: in place on a terminal, else in a line now and then. */
function showProgress(total) {
  let fetched = 0;
  const text = () => `  ${fetched} of ${total} packages fetched`;
  const clear = () => process.stdout.isTTY && process.stdout.write("\r\x1b[K");
  const timer = setInterval(() => {
    if (!process.stdout.isTTY) console.log(text());
  }, PROGRESS_INTERVAL);
  return {
    note(line) {
      if (!/^npm http (?:fetch GET 200 \S+\.tgz|cache) /.test(line)) return;
      fetched += 1;
      if (process.stdout.isTTY) process.stdout.write(`\r${text()}`);
    },
    end() {
      clearInterval(timer);
      clear();
    },
  };
}

/**
 * Installs the packages of a lock file beside what is there, and puts them in its place at the end: an installation
 * that fails, or is interrupted, changes nothing.
 *
 * @param {string} manifest the folder of package.json and package-lock.json
 * @param {string} target the folder that the packages' folder becomes
 * @returns {Promise<{ code: number, output: string }>} npm's
 */
export async function installInto(manifest, target) {
  const parent = dirname(target);
  mkdirSync(parent, { recursive: true });
  clearLeftovers(target);
  const staging = join(parent, `.installing-${process.pid}`);
  mkdirSync(staging);
  try {
    for (const name of MANIFEST) {
      const file = [join(manifest, name), join(root, name)].find(existsSync);
      if (file) cpSync(file, join(staging, name));
    }
    const progress = showProgress(
      Object.values(packagesOf(join(manifest, "package-lock.json"))).filter(isForHere).length,
    );
    const install = () =>
      run(
        "npm",
        // `include=dev`: the build's tools are needed under NODE_ENV=production too.
        ["ci", "--prefix", staging, "--include=dev", "--no-audit", "--no-fund", "--loglevel=http"],
        { cwd: staging, onLine: progress.note },
      );
    const config = await npmConfig(staging);
    if (config.registry) addAddresses(join(staging, "package-lock.json"), config);
    let result = await install();
    // Some registries keep packages elsewhere, and answer 404, 403 or the like at the usual address.
    if (result.code !== 0 && config.registry && /\bE4\d\d\b/.test(result.output)) {
      cpSync(join(manifest, "package-lock.json"), join(staging, "package-lock.json"));
      result = await install();
    }
    progress.end();
    if (result.code !== 0) return { ...result, output: result.output.replace(/^npm http .*\n/gm, "") };
    if (existsSync(target)) renameSync(target, asideOf(staging, target));
    renameSync(join(staging, "node_modules"), target);
    return result;
  } finally {
    clearStaging(staging, target);
  }
}

/** Installations of this process that go on. */
const installing = new Set();

/**
 * Installs a folder's packages unless they are there. If that fails, the process ends once no other installation goes on.
 * @param {string} [folder] by default the product's own
 */
export async function ensureInstalled(folder = root) {
  const target = join(folder, "node_modules");
  clearLeftovers(target);
  if (!isStale(folder)) return;
  console.log("Installing packages …");
  const installation = phase(
    "packages",
    () => installInto(folder, target),
    () => target,
  );
  installing.add(installation);
  const result = await installation.finally(() => installing.delete(installation));
  if (result.code === 0) return;
  process.stderr.write(result.output);
  // The end of this process would leave another installation half done.
  await Promise.allSettled([...installing, aptIdle()]);
  fail("The packages could not be installed: npm's output is above.");
}
