import "./supported-node.mjs";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { aptInstall, canUseApt, onPath } from "./apt.mjs";
import { sum } from "./counts.mjs";
import { runJobs } from "./gates.mjs";
import { buildImage } from "./image/build.mjs";
import { checksOf } from "./image/checks.mjs";
import { endConfined, runConfined } from "./image/confined.mjs";
import { fail, isRunning, root } from "./process.mjs";

// Builds the image by the Dockerfile's steps and starts it as other users, with other folders. It takes root on Debian,
// and neither Docker nor a registry of images.
process.chdir(root);
const TOOLS = ["buildah", "debootstrap"];
const RUN = /^run-(\d+)$/;

const folder = join(root, ".cache/image");
const work = join(folder, `run-${process.pid}`);

const remove = (path) => rmSync(path, { recursive: true, force: true, maxRetries: 5 });

/** What a killed run left; its processes and mounts are gone with it. */
function removeLeftovers() {
  for (const name of readdirSync(folder)) {
    const pid = RUN.exec(name)?.[1];
    if (pid && !isRunning(Number(pid))) remove(join(folder, name));
  }
}

async function assertPossible() {
  if (!canUseApt() || !existsSync("/etc/debian_version")) fail("The image is tested as root on Debian only.");
  const missing = TOOLS.filter((tool) => !onPath([tool]));
  if (missing.length > 0 && !(await aptInstall(missing)))
    fail(`${missing.join(" and ")} couldn't be installed.`);
  await runConfined("mount", ["-t", "tmpfs", "tmpfs", "/mnt"]).catch(() =>
    fail("Containers are started here by mounts and namespaces, which this machine forbids even to root."),
  );
}

/** A job whose error is its output. */
const job = ({ name, run }) => ({
  name,
  run: () =>
    run().then(
      () => ({ code: 0, output: "" }),
      (error) => ({ code: 1, output: error.message }),
    ),
});

async function runChecks() {
  let image;
  const build = async () => {
    image = await buildImage(work);
  };
  const built = await runJobs([job({ name: "the Dockerfile's steps", run: build })]);
  return image ? sum(built, await runJobs(checksOf(image, work).map(job))) : built;
}

async function cleanUp() {
  await endConfined();
  remove(work);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => cleanUp().finally(() => process.exit(1)));

await assertPossible();
mkdirSync(work, { recursive: true });
removeLeftovers();
const total = await runChecks().finally(cleanUp);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
