import "./supported-node.mjs";
import { build } from "./bundle.mjs";
import { findChromium } from "./chromium.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runPlaywright } from "./suites.mjs";

// Axe on every screen, with and without JavaScript, in both themes. `npm test` runs half.
process.chdir(root);
process.env.AXE_MATRIX = "all";
await ensureInstalled();
await ensureInstalled(TESTS);
const chromium = await findChromium();
if (!chromium) process.exit(1);
const { code, output } = await build();
if (code !== 0) fail(output);
const total = await runPlaywright(chromium, ["tests/e2e/screens.spec.ts"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
