import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

const alias = { "~": resolve("app"), "~db": resolve("db") };
const shared = {
  // A state is waited for as long as a busy machine may need for it; the default is a second.
  expect: { poll: { timeout: 10_000 } },
  setupFiles: ["tests/setup/no-stray-output.ts"],
  globalSetup: ["tests/setup/template.ts", "tests/setup/workers.ts"],
};

export default defineConfig({
  resolve: { alias },
  test: {
    // As many as the machine that this is made for has processors; the default leaves one of two idle.
    maxWorkers: 2,
    projects: [
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "unit",
          include: ["{app,db,scripts}/**/*.test.{ts,tsx}"],
          testTimeout: 30_000,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "integration",
          include: ["tests/integration/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "attack",
          include: ["tests/attack/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
