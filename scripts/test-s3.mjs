import "./supported-node.mjs";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runVitest } from "./suites.mjs";
import { installVersitygw } from "./versitygw.mjs";

// `npm run test:s3` builds Versity's gateway with Go and walks the copies of files and the sources of documents against it:
// it verifies signatures, which the server of the other tests doesn't. Without Go, one line says so, which isn't a failure.

process.chdir(root);
const { program, refused } = await installVersitygw();
if (!program) {
  console.log(`test:s3: not run, ${refused}`);
  process.exit(0);
}
await ensureInstalled();
await ensureInstalled(TESTS);
const { code, output } = await build();
if (code !== 0) fail(output);
process.env.VERSITYGW = program;
const total = await runVitest(
  ["unit", "integration"],
  [
    "tests/integration/files.test.ts",
    "app/platform/files",
    "app/work/documents/sources/sources.heavy.test.ts",
  ],
);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
