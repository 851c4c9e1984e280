import { run } from "./process.mjs";

/** What the build and the started servers don't hold. */
const NOT_BUILT = /\.test\.tsx?$|\.md$|^(tests|docs|bench|\.ci)\/|^scripts\/(checks|image|node)\//;

const lines = ({ output }) => output.split("\n").filter(Boolean);

/**
 * The commit since which changes count, of `--changed` (uncommitted ones) or `--changed=REF`.
 *
 * @param {string[]} args
 * @returns {string | undefined} undefined without the argument
 */
export function changedSince(args) {
  const match = args.map((arg) => /^--changed(?:=(.+))?$/.exec(arg)).find(Boolean);
  return match ? (match[1] ?? "HEAD") : undefined;
}

/** Whether a changed file is part of what every server of the tests runs. */
export const reachesServers = (files) => files.some((file) => !NOT_BUILT.test(file));

/** Paths of the files that changed, new ones too. @throws Error for an unknown commit */
export async function changedFiles(since) {
  const tracked = await run("git", ["diff", "--name-only", since, "--"]);
  if (tracked.code !== 0) throw new Error(tracked.output.trim());
  const added = await run("git", ["ls-files", "--others", "--exclude-standard"]);
  return [...lines(tracked), ...lines(added)];
}
