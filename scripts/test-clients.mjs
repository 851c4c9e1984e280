import "./supported-node.mjs";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { lastLine, makeEnvironment, pipOf } from "./python.mjs";
import { runVitest } from "./suites.mjs";

// `npm run test:clients` installs clients of other makers, in JavaScript and in Python, and runs `tests/clients` with
// them. Those in Python are left out, with a line that says so, where they can't be installed.

const CLIENTS = join(root, "tests/clients");
const venv = join(root, ".cache/clients");

/** @returns {Promise<string | undefined>} why they can't be installed */
async function installPython() {
  const refused = await makeEnvironment(venv);
  if (refused) return refused;
  const files = ["-r", join(CLIENTS, "requirements.txt"), "-c", join(CLIENTS, "constraints.txt")];
  const { code, output } = await pipOf(venv)(files);
  return code === 0 ? undefined : lastLine(output);
}

process.chdir(root);
// All that pip started ends with this.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
mkdirSync(join(root, ".cache"), { recursive: true });
for (const folder of [root, TESTS, CLIENTS]) await ensureInstalled(folder);
const refused = await installPython();
if (refused) console.log(`test:clients: clients in Python not run, ${refused}`);
const { code, output } = await build();
if (code !== 0) fail(output);
if (!refused) process.env.CLIENTS_PYTHON = join(venv, "bin/python");
const total = await runVitest(["clients"]);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
