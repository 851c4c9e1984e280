import { defineConfig, devices } from "@playwright/test";

/** What a Chromium in a container and without a network of its own needs. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--no-first-run",
  // Frames are drawn in software either way; without the GPU stack they cost less.
  "--disable-gpu",
  // A microphone that plays a tone, and that pages may use without a person.
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
  // One renderer process: a new one for each page takes a fifth more processor time.
  "--process-per-site",
  // Each test runs its pages' code too briefly to gain by optimized code, whose compilation takes a tenth of the time.
  "--js-flags=--no-opt --no-maglev",
];

const executablePath = process.env.CHROMIUM_PATH;

export default defineConfig({
  testDir: "e2e",
  outputDir: "../test-results",
  // The tests of a file share its server, so they stay in one worker.
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  workers: 2,
  // Generous: how fast it is on a busy machine is no test's subject.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [
    ["list"],
    ["json", { outputFile: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ?? "../.cache/report-e2e.json" }],
  ],
  use: {
    ...devices["Desktop Chrome"],
    viewport: { width: 1440, height: 900 },
    locale: "en-US",
    timezoneId: "UTC",
    actionTimeout: 20_000,
    screenshot: "only-on-failure",
    // Each frame of a transition is drawn in software, which took a tenth of the processor time.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: { args: ARGUMENTS, ...(executablePath ? { executablePath } : {}) },
  },
  projects: [
    { name: "javascript", testIgnore: "**/*.no-javascript.spec.ts" },
    // Journeys that run without script too carry a tag: at least one form or dialog of each screen.
    {
      name: "no-javascript",
      testIgnore: "**/*.javascript.spec.ts",
      grep: /@no-javascript|\.no-javascript\.spec/,
      use: { javaScriptEnabled: false },
    },
  ],
});
