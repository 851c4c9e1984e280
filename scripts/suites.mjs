import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  countPlaywright,
  countVitest,
  failures,
  resultsOfPlaywright,
  resultsOfVitest,
  slowest,
} from "./counts.mjs";
import { environmentOf, root, run, runNode, TESTS } from "./process.mjs";

function freshReport(name) {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const file = join(root, ".cache", `report-${name}.json`);
  rmSync(file, { force: true });
  return file;
}

/** Results of all tests run by this process. */
const results = [];

/** Prints which tests were slow and, last, which failed. */
export function printResults() {
  console.log(`\nSlowest tests\n${slowest(results).join("\n")}\n`);
  const failed = failures(results);
  if (failed.length > 0) console.log(`Failed tests\n${failed.join("\n")}\n`);
}

const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined);

/**
 * Runs vitest projects or matching files of them in one queue, with output and counts.
 *
 * @param {string[]} projects
 * @param {string[]} [files]
 * @param {{ program?: string, testedNode?: string, since?: string }} [options] another Node to run them under; another one
 *   for the console of the `node` project alone; the commit since which a file that a test imports must have changed
 */
export async function runVitest(
  projects,
  files = [],
  { program = process.execPath, testedNode, since } = {},
) {
  const report = freshReport(projects.join("-"));
  const { code } = await run(
    program,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      ...files,
      // The star includes the isolated project.
      ...projects.map((project) => `--project=${project}*`),
      ...(since ? [`--changed=${since}`, "--passWithNoTests"] : []),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    {
      show: true,
      env: {
        ...environmentOf(program),
        ...(testedNode ? { TESTED_NODE: testedNode } : {}),
        NODE_ENV: "test",
      },
    },
  );
  results.push(...resultsOfVitest(read(report)));
  return countVitest(read(report), code, since !== undefined);
}

/** Runs end-to-end tests, with output and counts. @param {string} [since] only specs that import what changed since then */
export async function runPlaywright(chromium, files = [], since = undefined) {
  const report = freshReport("e2e");
  const { code } = await runNode(
    "@playwright/test/cli.js",
    [
      "test",
      "--config=tests/playwright.config.ts",
      ...(since ? [`--only-changed=${since}`, "--pass-with-no-tests"] : []),
      ...files,
    ],
    {
      folder: TESTS,
      show: true,
      env: { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: report, PLAYWRIGHT_HTML_OPEN: "never" },
    },
  );
  results.push(...resultsOfPlaywright(read(report)));
  return countPlaywright(read(report), code, since !== undefined);
}
