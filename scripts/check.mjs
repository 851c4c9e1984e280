import "./supported-node.mjs";
import { sum } from "./counts.mjs";
import { gates, runJobs } from "./gates.mjs";
import { ensureInstalled } from "./install.mjs";
import { CHECKS, root, TESTS } from "./process.mjs";
import { runVitest } from "./suites.mjs";

// The quick part of `npm test`.
process.chdir(root);
// Disables colors in log files.
if (!process.stdout.isTTY && !process.env.FORCE_COLOR) process.env.NO_COLOR = "1";
await ensureInstalled();
await ensureInstalled(TESTS);
await ensureInstalled(CHECKS);
// In parallel: the tests wait for processes and timers now and then. Vitest redraws the end of a terminal, so
// the gates' results are printed after it.
const lines = [];
const print = (line) => lines.push(line);
const [checked, tested] = await Promise.all([runJobs(gates, { width: 1, print }), runVitest(["unit"])]);
console.log(lines.join("\n"));
const total = sum(checked, tested);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
