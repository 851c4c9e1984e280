/** @typedef {{ passed: number, failed: number }} Counts */

/** @param {...Counts} parts */
export function sum(...parts) {
  return parts.reduce(
    (total, part) => ({ passed: total.passed + part.passed, failed: total.failed + part.failed }),
    { passed: 0, failed: 0 },
  );
}

/**
 * Counts a broken run as one failure: a runner that crashes outside its tests, or runs none, reports no failing test.
 *
 * @param {Counts} counts of the runner's report
 * @param {number} code the runner's exit code
 * @returns {Counts}
 */
function countBrokenRun(counts, code) {
  const broken = (code !== 0 || counts.passed === 0) && counts.failed === 0;
  return broken ? { ...counts, failed: 1 } : counts;
}

export function countVitest(report, code) {
  const uncollected = (report?.testResults ?? []).filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  ).length;
  return countBrokenRun(
    { passed: report?.numPassedTests ?? 0, failed: (report?.numFailedTests ?? 0) + uncollected },
    code,
  );
}

export const timesOfVitest = (report) =>
  (report?.testResults ?? []).flatMap(({ assertionResults }) =>
    assertionResults.map(({ fullName, duration }) => ({ name: fullName, ms: duration ?? 0 })),
  );

export function timesOfPlaywright(report) {
  const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)];
  return (report?.suites ?? []).flatMap(specsOf).flatMap(({ title, file, tests }) =>
    tests.map(({ projectName, results }) => ({
      name: `${file} (${projectName}) ${title}`,
      ms: results.reduce((total, { duration }) => total + duration, 0),
    })),
  );
}

export const slowest = (times, limit = 20) =>
  [...times]
    .sort((a, b) => b.ms - a.ms)
    .slice(0, limit)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${name.slice(0, 160)}`);

/** Counts of Playwright's JSON report; a test that passed only on another try counts as failed. */
export function countPlaywright(report, code) {
  const { expected = 0, unexpected = 0, flaky = 0 } = report?.stats ?? {};
  return countBrokenRun(
    { passed: expected, failed: unexpected + flaky + (report?.errors?.length ?? 0) },
    code,
  );
}
