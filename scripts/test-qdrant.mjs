import "./supported-node.mjs";
import { parseArgs } from "node:util";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runVitest } from "./suites.mjs";

// `npm run test:qdrant -- --url http://localhost:6333` walks the console's use of Qdrant against a real one without a key,
// in collections of its own, which it deletes. Without an address it uses the fake of the tests.

process.chdir(root);
const { url } = parseArgs({ options: { url: { type: "string" } } }).values;
if (url !== undefined && (!URL.canParse(url) || new URL(url).protocol !== "http:"))
  fail("--url must be an http address, such as http://localhost:6333.");
process.env.QDRANT_MATRIX = "all";
if (url) process.env.QDRANT_TEST_URL = url.replace(/\/+$/, "");
await ensureInstalled();
await ensureInstalled(TESTS);
const built = await build();
if (built.code !== 0) fail(built.output);
const total = await runVitest(["integration"], ["tests/integration/qdrant.test.ts"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
