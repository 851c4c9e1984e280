import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { run } from "./process.mjs";

/** The full path of the first of these commands that is on the PATH. */
export function onPath(names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not in this folder.
      }
    }
  }
  return undefined;
}

/** Whether this process could install a Debian package. */
export const canUseApt = () => process.getuid?.() === 0 && onPath(["apt-get"]) !== undefined;

/**
 * Installs Debian packages; the caller has asked `canUseApt` before.
 *
 * @returns {Promise<boolean>} whether it worked; apt's own words are shown when it didn't
 */
export async function aptInstall(packages) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-q"], { env });
  const result = await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...packages], {
    env,
  });
  if (result.code !== 0) process.stderr.write(result.output);
  return result.code === 0;
}
