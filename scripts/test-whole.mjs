import "./supported-node.mjs";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./bundle.mjs";
import { findChromium } from "./chromium.mjs";
import { sum } from "./counts.mjs";
import { ensureInstalled } from "./install.mjs";
import { fail, root, TESTS } from "./process.mjs";
import { runPlaywright, runVitest } from "./suites.mjs";

// `npm run test:axe`, `test:attack`, `test:faults` and `test:providers`: the whole forms of what `npm test` does shortly.
const FORMS = {
  /** Axe on every screen and in every journey that asks it, with and without JavaScript, in both themes, and three widths. */
  async axe() {
    process.env.AXE_MATRIX = "all";
    const chromium = await findChromium();
    if (!chromium) process.exit(1);
    const asking = readdirSync("tests/e2e").filter((name) =>
      /expectAccessible|expectToFit/.test(readFileSync(join("tests/e2e", name), "utf8")),
    );
    return () => runPlaywright(chromium, asking);
  },
  /** Hostile names, bodies, Markdown, files and headers against every route and role; each call of the API document. */
  attack() {
    process.env.ATTACK_MATRIX = "all";
    return () => runVitest(["attack", "integration"], ["tests/attack", "openapi-fuzz", "sources.heavy"]);
  },
  /** The journey of each family of providers, with and without JavaScript, and each recorded stream in three packet sizes. */
  async providers() {
    process.env.PROVIDER_MATRIX = "all";
    const chromium = await findChromium();
    if (!chromium) process.exit(1);
    return async () =>
      sum(await runVitest(["integration"], ["replay"]), await runPlaywright(chromium, ["families"]));
  },
  /**
   * Kills real processes, ten to thirty times as often as `npm test` does, damages data folders in every known way, and
   * fills disks. A kill costs 0.3 s of processor time in the queue and 1 s to 2 s in the engine, a damaged folder 3 s.
   */
  faults() {
    process.env.FAULT_KILLS ??= "200";
    process.env.WORKFLOW_KILLS ??= "250";
    return () => runVitest(["integration"], ["faults", "chat-restarts", "backups", "integration/tools"]);
  },
};

process.chdir(root);
const [form] = process.argv.slice(2);
const isKnown = form !== undefined && Object.hasOwn(FORMS, form);
if (!isKnown) fail(`${form ?? "Nothing"} is no form; these are: ${Object.keys(FORMS).join(", ")}.`);
await ensureInstalled();
await ensureInstalled(TESTS);
const run = await FORMS[form]();
const { code, output } = await build();
if (code !== 0) fail(output);
const total = await run();
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
