import "./supported-node.mjs";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runVitest } from "./suites.mjs";

// `npm run test:mcp` installs the conformance suite of the Model Context Protocol, and runs it against the console's
// own endpoint and its client.

const MCP = join(root, "tests/mcp");

process.chdir(root);
mkdirSync(join(root, ".cache"), { recursive: true });
for (const folder of [root, TESTS, MCP]) await ensureInstalled(folder);
const { code, output } = await build();
if (code !== 0) fail(output);
process.env.MCP_CONFORMANCE = join(MCP, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const total = await runVitest(["mcp"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
