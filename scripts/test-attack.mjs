import "./supported-node.mjs";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runVitest } from "./suites.mjs";

// Hostile names, bodies, Markdown, files and headers against every route and role. `npm test` runs a short form.
process.chdir(root);
process.env.ATTACK_MATRIX = "all";
await ensureInstalled();
await ensureInstalled(TESTS);
const { code, output } = await build();
if (code !== 0) fail(output);
const total = await runVitest(["attack"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
