import "./supported-node.mjs";
import { build } from "./bundle.mjs";
import { tryClean } from "./clean-start.mjs";
import { sum } from "./counts.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runShortForm, VERSIONS } from "./short-form.mjs";

// `npm run test:node` runs the console, and hostile files against the limits of its child processes, under each supported
// version of Node. `-- --clean 20 22 24 26` starts a fresh clone of HEAD with each as the machine's own.
process.chdir(root);
const [mode, ...majors] = process.argv.slice(2);
let total = { passed: 0, failed: 0 };
if (mode === "--clean") {
  for (const major of majors.length > 0 ? majors : ["20", ...VERSIONS])
    total = sum(total, await tryClean(major));
} else {
  await ensureInstalled();
  await ensureInstalled(TESTS);
  const { code, output } = await build();
  if (code !== 0) fail(output);
  for (const major of VERSIONS) total = sum(total, await runShortForm(major, { hasLimits: true }));
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
