import "./supported-node.mjs";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./bundle.mjs";
import { sum } from "./counts.mjs";
import { ensureInstalled } from "./install.mjs";
import { fetchNode, VERSIONS } from "./node-program.mjs";
import { environmentOf, fail, root, run, TESTS } from "./process.mjs";
import { runVitest } from "./suites.mjs";

// `npm run test:node` runs the console, and hostile files against the limits of its child processes, under each supported
// version of Node. `-- --clean 20 22 24 26` starts a fresh clone of HEAD with each as the machine's own.

/** Generous, in ms: packages come from the registry. */
const START_TIMEOUT = 600_000;

/** How this machine reaches the registry, which an empty HOME doesn't change. */
const NETWORK = /^(NODE_EXTRA_CA_CERTS|(https?|no)_proxy)$/i;

/** What hostile input may take of a child process, which depends on how V8 reserves memory. */
const LIMITS = [
  "app/core/worker-pool-processes.heavy.test.ts",
  "app/work/extraction",
  "tests/attack/documents.test.ts",
];

/** Runs `npm start -- --timings` until the console is ready, asks it, and stops it. */
function startClean(folder, home, program) {
  return new Promise((done) => {
    const from = performance.now();
    const child = spawn("npm", ["start", "--", "--timings"], {
      cwd: folder,
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name))),
        ...environmentOf(program),
        HOME: home,
        HOST: "127.0.0.1",
        PORT: "0",
        DATA_DIR: join(home, "data"),
      },
      // A group of its own, so that npm's children get the signals too.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let seconds;
    let health = "not asked";
    const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), START_TIMEOUT);
    const read = async (chunk) => {
      output += chunk;
      const [, address] = /ready at (http\S+)/.exec(output) ?? [];
      if (!address || seconds !== undefined || !/^ {2}start /m.test(output)) return;
      seconds = ((performance.now() - from) / 1000).toFixed(0);
      health = await fetch(`${address}/api/health`).then(
        (response) => `${response.status}`,
        (error) => error.message,
      );
      process.kill(-child.pid, "SIGTERM");
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", read);
    child.on("close", () => {
      clearTimeout(timer);
      done({ isReady: seconds !== undefined && health === "200", seconds, output });
    });
  });
}

/**
 * Starts a clone of HEAD in an empty folder with an empty HOME, with this version as the machine's own, and prints a row.
 * @param {string} major
 */
async function tryClean(major) {
  const { program, problem } = await fetchNode(major);
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-clean-"));
  const home = mkdtempSync(join(tmpdir(), "quarterdeck-home-"));
  try {
    const clone = await run("git", ["clone", "--quiet", root, folder]);
    const { isReady, seconds, output } =
      program && clone.code === 0
        ? await startClean(folder, home, program)
        : { isReady: false, output: problem ?? clone.output };
    const phases = [...output.matchAll(/^ {2}(\w+) +([\d.]+ s)(?: +(\d+ MB))?/gm)]
      .map(([, name, time, size]) => `${name} ${time}${size ? ` ${size}` : ""}`)
      .join(", ");
    console.log(`Node ${major}: ${isReady ? `ready after ${seconds} s (${phases})` : `FAILED\n${output}`}`);
    return { passed: Number(isReady), failed: Number(!isReady) };
  } finally {
    for (const made of [folder, home]) rmSync(made, { recursive: true, force: true });
  }
}

/** Runs the console and what hostile files meet under another version of Node. @param {string} major */
async function runUnder(major) {
  const { program, problem } = await fetchNode(major);
  if (!program) {
    console.log(problem);
    return { passed: 0, failed: 1 };
  }
  console.log(`\nThe short form under Node ${major}`);
  const short = await runVitest(["node"], [], { program });
  return sum(short, await runVitest(["unit", "integration", "attack"], LIMITS, { program }));
}

process.chdir(root);
const [mode, ...majors] = process.argv.slice(2);
let total = { passed: 0, failed: 0 };
if (mode === "--clean") {
  for (const major of majors.length > 0 ? majors : ["20", ...VERSIONS])
    total = sum(total, await tryClean(major));
} else {
  await ensureInstalled();
  await ensureInstalled(TESTS);
  const { code, output } = await build();
  if (code !== 0) fail(output);
  for (const major of VERSIONS) total = sum(total, await runUnder(major));
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
