import "./supported-node.mjs";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runVitest } from "./suites.mjs";

// Kills real processes, ten to thirty times as often as `npm test` does, damages data folders in every known way, and
// fills disks. A kill costs 0.3 s of processor time in the queue and 1 s to 2 s in the engine, a damaged folder 3 s.
process.chdir(root);
process.env.FAULT_KILLS ??= "200";
process.env.WORKFLOW_KILLS ??= "250";
await ensureInstalled();
await ensureInstalled(TESTS);
const { code, output } = await build();
if (code !== 0) fail(output);
const total = await runVitest(["integration"], ["faults", "chat-restarts", "backups", "integration/tools"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
