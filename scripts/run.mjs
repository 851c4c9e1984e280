import "./supported-node.mjs";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled } from "./install.mjs";
import { CHECKS, fail, replaceWith, root, TESTS } from "./process.mjs";

// `node scripts/run.mjs <program> …` runs a built program (build/*.mjs), a program of the sources (*.ts), or a command
// of a package, from a fresh clone too.
process.chdir(root);
const [program = "", ...args] = process.argv.slice(2);
if (program.endsWith(".mjs")) {
  if (!existsSync(program)) fail("There is no build: run `npm run build` first.");
  replaceWith([program, ...args]);
} else {
  for (const folder of [root, TESTS, CHECKS]) await ensureInstalled(folder);
  const command = [root, TESTS, CHECKS]
    .map((folder) => join(folder, "node_modules/.bin", program))
    .find(existsSync);
  if (!command && !program.endsWith(".ts")) fail(`There is no program ${program}.`);
  replaceWith(command ? [command, ...args] : ["--import", "tsx", program, ...args]);
}
