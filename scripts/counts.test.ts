import { describe, expect, it } from "vitest";
import {
  countPlaywright,
  countVitest,
  failures,
  resultsOfPlaywright,
  resultsOfVitest,
  slowest,
  sum,
} from "./counts.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

describe("test counts", () => {
  it("adds up vitest's tests", () => {
    const report = {
      numPassedTests: 4,
      numFailedTests: 1,
      testResults: [file("failed", "passed", "failed")],
    };
    expect(countVitest(report, 1)).toEqual({ passed: 4, failed: 1 });
  });

  it("counts a run without tests as a failure, unless no change reaches any", () => {
    const report = { numPassedTests: 0, testResults: [] };
    expect(countVitest(report, 0)).toEqual({ passed: 0, failed: 1 });
    expect(countVitest(report, 0, true)).toEqual({ passed: 0, failed: 0 });
    expect(countVitest(report, 1, true)).toEqual({ passed: 0, failed: 1 });
  });

  it("counts a file that couldn't be collected", () => {
    const report = { numPassedTests: 4, numFailedTests: 0, testResults: [file("failed"), file("passed")] };
    expect(countVitest(report, 1)).toEqual({ passed: 4, failed: 1 });
  });

  it("adds up Playwright's tests, with a flaky one among the failures", () => {
    expect(countPlaywright({ stats: { expected: 7, unexpected: 1, flaky: 1, skipped: 2 } }, 1)).toEqual({
      passed: 7,
      failed: 2,
    });
  });

  it.each([
    ["a runner that left no report", () => countVitest(undefined, 1), { passed: 0, failed: 1 }],
    [
      "an exit code without a failing test",
      () => countVitest({ numPassedTests: 3 }, 1),
      { passed: 3, failed: 1 },
    ],
    ["a run without a test", () => countPlaywright({ stats: { skipped: 3 } }, 0), { passed: 0, failed: 1 }],
    [
      "an error outside of any test",
      () => countPlaywright({ stats: { expected: 1 }, errors: [{}] }, 1),
      { passed: 1, failed: 1 },
    ],
  ])("doesn't let %s pass", (_, count, expected) => {
    expect(count()).toEqual(expected);
  });

  it("sums parts", () => {
    expect(sum({ passed: 1, failed: 0 }, { passed: 2, failed: 3 })).toEqual({ passed: 3, failed: 3 });
  });
});

describe("results of both runners", () => {
  const vitest = {
    testResults: [
      {
        name: "a.test.ts",
        status: "failed",
        assertionResults: [
          { fullName: "a unit", status: "passed", duration: 1200 },
          { fullName: "a broken unit", status: "failed", duration: 10, failureMessages: ["1 is not 2"] },
        ],
      },
      { name: "b.test.ts", status: "failed", message: "No such module", assertionResults: [] },
    ],
  };
  const spec = (title: string, status: string, ...results: object[]) => ({
    title,
    file: "chat.spec.ts",
    tests: [{ projectName: "javascript", status, results }],
  });
  const suite = {
    specs: [
      spec("asks", "flaky", { duration: 200, errors: [{ message: "Timeout\nat A" }] }, { duration: 100 }),
    ],
    suites: [{ specs: [spec("answers", "expected", { duration: 61_000 })] }],
  };
  const results = [...resultsOfVitest(vitest), ...resultsOfPlaywright({ suites: [suite] })];

  it("name the slowest tests", () => {
    expect(slowest(results, 2)).toEqual(["  61.0 s  chat.spec.ts (javascript) answers", "   1.2 s  a unit"]);
  });

  it("name the failed tests, with what they said", () => {
    expect(failures(results)).toEqual([
      "a broken unit\n    1 is not 2",
      "b.test.ts\n    No such module",
      "chat.spec.ts (javascript) asks\n    Timeout\n    at A",
    ]);
  });
});
