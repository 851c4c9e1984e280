import "./supported-node.mjs";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./bundle.mjs";
import { findChromium } from "./chromium.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runPlaywright } from "./suites.mjs";

// Axe on every screen and in every journey that asks it, with and without JavaScript, in both themes, and three widths.
// `npm test` runs a short form.
process.chdir(root);
process.env.AXE_MATRIX = "all";
await ensureInstalled();
await ensureInstalled(TESTS);
const chromium = await findChromium();
if (!chromium) process.exit(1);
const { code, output } = await build();
if (code !== 0) fail(output);
const asking = readdirSync("tests/e2e").filter((name) =>
  /expectAccessible|expectToFit/.test(readFileSync(join("tests/e2e", name), "utf8")),
);
const total = await runPlaywright(chromium, asking);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
