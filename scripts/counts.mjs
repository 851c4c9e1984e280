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
 * @param {boolean} mayBeNone whether it is right that no test ran
 * @returns {Counts}
 */
function countBrokenRun(counts, code, mayBeNone) {
  const broken = (code !== 0 || (counts.passed === 0 && !mayBeNone)) && counts.failed === 0;
  return broken ? { ...counts, failed: 1 } : counts;
}

/** Counts of vitest's JSON report; a file that couldn't be collected counts as one failure. */
export const countVitest = (report, code, mayBeNone = false) =>
  countBrokenRun(
    { passed: report?.numPassedTests ?? 0, failed: failures(resultsOfVitest(report)).length },
    code,
    mayBeNone,
  );

/** @typedef {{ name: string, ms: number, failure?: string }} Result of a test, with what its failures said */

/** @returns {Result[]} */
export const resultsOfVitest = (report) =>
  (report?.testResults ?? []).flatMap(({ name: file, status, message, assertionResults }) => {
    const results = assertionResults.map((test) => ({
      name: test.fullName,
      ms: test.duration ?? 0,
      ...(test.status === "failed" && { failure: (test.failureMessages ?? []).join("\n") }),
    }));
    const isUncollected = status === "failed" && !results.some(({ failure }) => failure !== undefined);
    return isUncollected ? [...results, { name: file, ms: 0, failure: message ?? "" }] : results;
  });

/** Results of Playwright's JSON report; a test that passed only on another try has its failure. @returns {Result[]} */
export function resultsOfPlaywright(report) {
  const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)];
  return (report?.suites ?? []).flatMap(specsOf).flatMap(({ title, file, tests }) =>
    tests.map(({ projectName, status, results }) => ({
      name: `${file} (${projectName}) ${title}`,
      ms: results.reduce((total, { duration }) => total + duration, 0),
      ...((status === "unexpected" || status === "flaky") && {
        failure: results.flatMap(({ errors = [] }) => errors.map(({ message }) => message)).join("\n"),
      }),
    })),
  );
}

/** @param {Result[]} results */
export const failures = (results) =>
  results
    .filter(({ failure }) => failure !== undefined)
    .map(({ name, failure }) => `${name}\n    ${failure.split("\n").slice(0, 8).join("\n    ")}`);

/** @param {Result[]} results */
export const slowest = (results, limit = 20) =>
  [...results]
    .sort((a, b) => b.ms - a.ms)
    .slice(0, limit)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${name.slice(0, 160)}`);

/** Counts of Playwright's JSON report; a test that passed only on another try counts as failed. */
export function countPlaywright(report, code, mayBeNone = false) {
  const { expected = 0, unexpected = 0, flaky = 0 } = report?.stats ?? {};
  return countBrokenRun(
    { passed: expected, failed: unexpected + flaky + (report?.errors?.length ?? 0) },
    code,
    mayBeNone,
  );
}
