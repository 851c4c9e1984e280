import { sum } from "./counts.mjs";
import { gates, runJobs } from "./gates.mjs";
import { ensureInstalled } from "./install.mjs";
import { root } from "./process.mjs";
import { runVitest } from "./suites.mjs";

// The quick part of `npm test`.
process.chdir(root);
// A log file is no terminal.
if (!process.stdout.isTTY && !process.env.FORCE_COLOR) process.env.NO_COLOR = "1";
await ensureInstalled();
const total = sum(await runJobs(gates), await runVitest("unit"));
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
