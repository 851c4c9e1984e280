import "./supported-node.mjs";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, run, TESTS } from "./process.mjs";
import { runVitest } from "./suites.mjs";

// `npm run test:mcp` installs the conformance suite of the Model Context Protocol, and runs it against the console's
// own endpoint and its client.

const SUITE = "@modelcontextprotocol/conformance@0.1.16";

process.chdir(root);
const folder = join(root, ".cache/mcp");
mkdirSync(folder, { recursive: true });
const { code, output } = await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", SUITE]);
if (code !== 0) fail(output);
await ensureInstalled();
await ensureInstalled(TESTS);
const built = await build();
if (built.code !== 0) fail(built.output);
process.env.MCP_CONFORMANCE = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const total = await runVitest(["mcp"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
