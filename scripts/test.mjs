import "./supported-node.mjs";
import { build } from "./bundle.mjs";
import { changedFiles, changedSince, reachesServers } from "./changed.mjs";
import { findChromium } from "./chromium.mjs";
import { sum } from "./counts.mjs";
import { gates, runJobs } from "./gates.mjs";
import { ensureInstalled } from "./install.mjs";
import { installLitestream } from "./litestream.mjs";
import { fetchOtherNode } from "./node-program.mjs";
import { CHECKS, root, TESTS } from "./process.mjs";
import { printResults, runPlaywright, runVitest } from "./suites.mjs";

// All checks from a fresh clone. The last line, "N passed, N failed", counts each test and gate once. `-- --changed` leaves
// out tests that no change since the last commit reaches, `-- --changed=REF` since another one.
process.chdir(root);
const since = changedSince(process.argv.slice(2));
// A change of the product reaches each test that starts it.
const isEverything = since === undefined || reachesServers(await changedFiles(since));
// Disables colors in log files.
if (!process.stdout.isTTY && !process.env.FORCE_COLOR) process.env.NO_COLOR = "1";
// Installs in parallel with everything before the end-to-end tests.
const browser = findChromium();
const otherNode = isEverything ? fetchOtherNode() : {};
const litestream = isEverything ? installLitestream() : undefined;
// The build needs none of these.
const others = Promise.all([ensureInstalled(TESTS), ensureInstalled(CHECKS)]);
await ensureInstalled();
const waiting = gates.map(({ name, run }) => ({ name, run: () => others.then(run) }));

let total = await runJobs([{ name: "build", run: build }, ...waiting]);
console.log("\nUnit tests, integration tests and attacks");
const { program: testedNode, problem } = await otherNode;
if (problem) {
  console.log(problem);
  total = sum(total, { passed: 0, failed: 1 });
}
const replica = isEverything ? await litestream : {};
if (replica.refused) console.log(`Replication with Litestream isn't tested: ${replica.refused}`);
if (replica.program) process.env.LITESTREAM = replica.program;
const started = [...(testedNode ? ["node"] : []), ...(replica.program ? ["litestream"] : [])];
// In one queue, which keeps all processors busy and bundles the workers only once.
if (since === undefined)
  total = sum(total, await runVitest(["unit", "integration", "attack", ...started], [], { testedNode }));
else {
  total = sum(total, await runVitest(["unit"], [], { since }));
  const servers = ["integration", "attack", ...started];
  total = sum(total, await runVitest(servers, [], isEverything ? { testedNode } : { since }));
}
const chromium = await browser;
console.log("\nEnd-to-end tests");
const endToEnd = chromium
  ? await runPlaywright(chromium, [], isEverything ? undefined : since)
  : { passed: 0, failed: 1 };
total = sum(total, endToEnd);

printResults();
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
