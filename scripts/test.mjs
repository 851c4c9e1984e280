import "./supported-node.mjs";
import { build } from "./bundle.mjs";
import { findChromium } from "./chromium.mjs";
import { sum } from "./counts.mjs";
import { gates, runJobs } from "./gates.mjs";
import { ensureInstalled } from "./install.mjs";
import { CHECKS, root, TESTS } from "./process.mjs";
import { otherVersion, runShortForm } from "./short-form.mjs";
import { printResults, runPlaywright, runVitest } from "./suites.mjs";

// All checks from a fresh clone. The last line, "N passed, N failed", counts each test and gate once.
process.chdir(root);
// Disables colors in log files.
if (!process.stdout.isTTY && !process.env.FORCE_COLOR) process.env.NO_COLOR = "1";
// Installs in parallel with everything before the end-to-end tests.
const browser = findChromium();
await ensureInstalled();
await ensureInstalled(TESTS);
await ensureInstalled(CHECKS);

let total = await runJobs([{ name: "build", run: build }, ...gates]);
console.log("\nUnit tests, integration tests and attacks");
// In one queue, which keeps all processors busy and bundles the workers only once.
total = sum(total, await runVitest(["unit", "integration", "attack"]));
const chromium = await browser;
console.log("\nEnd-to-end tests");
total = sum(total, chromium ? await runPlaywright(chromium) : { passed: 0, failed: 1 });
total = sum(total, await runShortForm(otherVersion()));

printResults();
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
