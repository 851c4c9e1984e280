import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { run } from "./process.mjs";

/** The first command on the PATH, with its full path. */
export function onPath(names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {}
    }
  }
  return undefined;
}

export const canUseApt = () => process.getuid?.() === 0 && onPath(["apt-get"]) !== undefined;

/** Running installations, one at a time: apt-get locks its database. */
let running = Promise.resolve(true);

/** Resolves after the last installation. */
export const aptIdle = () => running;

/** Installs packages after those of earlier calls. @returns {Promise<boolean>} true on success */
export function aptInstall(packages) {
  running = running.then(() => install(packages));
  return running;
}

async function install(packages) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-q"], { env });
  const result = await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...packages], {
    env,
  });
  if (result.code !== 0) process.stderr.write(result.output);
  return result.code === 0;
}
