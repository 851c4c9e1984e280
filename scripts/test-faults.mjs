import "./supported-node.mjs";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runVitest } from "./suites.mjs";

// Kills real processes at random moments, ten and twenty times as often as `npm test` does, damages data folders in every
// known way, and fills disks. On two processors it takes some eight minutes: a kill costs 0.3 s of processor time in the
// queue and 0.7 s in the engine, a damaged folder 3 s.
process.chdir(root);
process.env.FAULT_KILLS ??= "200";
process.env.WORKFLOW_KILLS ??= "250";
process.env.DAMAGE_MATRIX ??= "whole";
await ensureInstalled();
await ensureInstalled(TESTS);
const { code, output } = await build();
if (code !== 0) fail(output);
const total = await runVitest(["integration"], ["faults"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
