import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { run } from "./process.mjs";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "quarterdeck-node-"));
  mkdirSync(join(root, "scripts"));
  for (const name of readdirSync("scripts").filter((file) => file.endsWith(".mjs")))
    cpSync(join("scripts", name), join(root, "scripts", name));
  symlinkSync(resolve("scripts/node"), join(root, "scripts/node"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs a script under an older Node, which a later one plays, without a registry. */
function runUnder20(platform: string) {
  const properties = JSON.stringify({
    version: { value: "v20.20.2" },
    versions: { value: { node: "20.20.2" } },
    platform: { value: platform },
  });
  const script = JSON.stringify(join(root, "scripts/supported-node.mjs"));
  return run(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `Object.defineProperties(process, ${properties}); await import(${script});`,
    ],
    {
      env: {
        npm_config_registry: "http://127.0.0.1:9",
        npm_config_cache: join(root, "cache"),
        npm_config_fetch_retries: "0",
      },
    },
  );
}

const INSTALL =
  "Quarterdeck needs Node 22.22 or newer; this is v20.20.2. Install Node 24 (https://nodejs.org) and try again.\n";

it("says in one line what to install on a system that it has no Node for", async () => {
  expect(await runUnder20("darwin")).toEqual({
    code: 1,
    output: `There is no package of Node for this system. ${INSTALL}`,
  });
});

it("says in one line why a newer Node could not be fetched", async () => {
  const { code, output } = await runUnder20("linux");
  expect(code).toBe(1);
  expect(output.replaceAll(/\b24\.\d+\.\d+/g, "24")).toBe(
    "Node 20.20.2 is too old: fetching Node 24 once, into .node …\n" +
      `Node 24 could not be fetched (npm: ECONNREFUSED). ${INSTALL}`,
  );
});
