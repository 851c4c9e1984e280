import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root } from "./process.mjs";
import { runVitest } from "./suites.mjs";

// Kills real processes at random moments, many times as often as `npm test`.
process.chdir(root);
process.env.FAULT_KILLS ??= "400";
process.env.WORKFLOW_KILLS ??= "1000";
await ensureInstalled();
const { code, output } = await build();
if (code !== 0) fail(output);
const total = await runVitest("integration", ["faults"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
