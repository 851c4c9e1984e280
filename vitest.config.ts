import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const alias = { "~": resolve("app"), "~db": resolve("db") };
/** Tests that mock a module or change what the whole process shares. */
const ISOLATED = "{app,db,programs,scripts}/**/*.isolated.test.{ts,tsx}";
/** Packages bring tests of their own. */
const PACKAGES = "**/node_modules/**";
/** Units that need more than a second of processor time: `npm test` runs them, `npm run check` doesn't. */
const HEAVY = "{app,db,programs,scripts}/**/*.heavy.test.{ts,tsx}";
/** Compares processor time with limits: work on the other processors would double it. */
const AT_REST = "tests/attack/texts.test.ts";
const shared = {
  // A state is waited for as long as a busy machine may need for it; the default is a second.
  expect: { poll: { timeout: 60_000 } },
  setupFiles: ["tests/setup/no-stray-output.ts"],
  // What is built already isn't transformed again.
  server: { deps: { external: [/\/build\/server\/index\.js$/] } },
};

/** Below their time limit, whose message names no state. */
const PATIENCE_OF_UNITS = { poll: { timeout: 25_000 } };

/** Units last: in a fresh clone vitest goes by size, and a file that starts servers would be left to one worker. */
class UnitsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isUnit = ({ project }: TestSpecification) => project.name.startsWith("unit");
    const sorted = await super.sort(files);
    return [...sorted.filter((file) => !isUnit(file)), ...sorted.filter(isUnit)];
  }
}

export default defineConfig({
  resolve: { alias },
  test: {
    // One more than the processors of the machine that this is made for, as tests also wait. Four take as long.
    maxWorkers: 3,
    sequence: { sequencer: UnitsLast },
    // Here and not in a project, which would repeat it for each of them.
    globalSetup: ["tests/setup/template.ts", "tests/setup/workers.ts"],
    // Transformed modules, by content: the main process's share of a run's processor time.
    experimental: { fsModuleCache: true, fsModuleCachePath: ".cache/modules" },
    projects: [
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "unit",
          expect: PATIENCE_OF_UNITS,
          include: ["{app,db,programs,scripts}/**/*.test.{ts,tsx}"],
          exclude: [ISOLATED, HEAVY, PACKAGES],
          testTimeout: 30_000,
          // One process per worker: loading the modules again for each file takes longer than the tests.
          isolate: false,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "unit-isolated",
          expect: PATIENCE_OF_UNITS,
          include: [ISOLATED],
          exclude: [PACKAGES],
          testTimeout: 30_000,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "integration",
          include: ["tests/integration/**/*.test.ts", HEAVY],
          exclude: [PACKAGES],
          // As above: most files start a server and need the same modules for it.
          isolate: false,
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        // `npm run test:node` runs it under each supported version.
        test: {
          ...shared,
          name: "node",
          include: ["tests/node/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        // `npm run test:model` runs it.
        test: {
          ...shared,
          name: "model",
          include: ["tests/model/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
      {
        resolve: { alias },
        // `npm run test:clients` runs it.
        test: {
          ...shared,
          name: "clients",
          include: ["tests/clients/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        resolve: { alias },
        // `npm run test:litestream` runs it, and `npm test` its short form.
        test: {
          ...shared,
          name: "litestream",
          include: ["tests/litestream/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        // `npm run test:mcp` runs it.
        test: {
          ...shared,
          name: "mcp",
          include: ["tests/mcp/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "attack",
          include: ["tests/attack/**/*.test.ts"],
          exclude: [AT_REST],
          isolate: false,
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "attack-at-rest",
          include: [AT_REST],
          // After all others, at its strict limits; the short form allows twice as much among them.
          sequence: { groupOrder: process.env.ATTACK_MATRIX === "all" ? 1 : 0 },
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
