import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { root, run } from "../process.mjs";
import { makeBase } from "./base.mjs";
import { runConfined } from "./confined.mjs";

/**
 * @typedef {object} Image a built image, unpacked
 * @property {string} root its files
 * @property {{ Env: string[], Cmd: string[], Entrypoint?: string[], User: string, WorkingDir: string,
 *   Volumes: Record<string, object>, Healthcheck: { Test: string[] } }} config
 */

const TAG = "quarterdeck-test";
/** npm's configuration for everybody, in the image. */
const GLOBAL_NPMRC = "/usr/local/etc/npmrc";
const CA_FILE = "/usr/local/etc/npm-ca.pem";
const CACHE = "/var/cache/npm";

const npmConfig = async (key) => (await run("npm", ["config", "get", key])).output.trim();

/**
 * npm reaches its registry in the build as it does here. The files are there while the steps run, not in the image;
 * buildah hands over the proxy's variables itself.
 * @returns {Promise<string[]>} options of buildah
 */
async function shareNpmSettings(work) {
  const lines = [`registry=${await npmConfig("registry")}`, `cache=${CACHE}`];
  const kept = join(root, ".cache/image/npm");
  mkdirSync(kept, { recursive: true });
  const volumes = [`${kept}:${CACHE}`];
  const cafile = await npmConfig("cafile");
  const extra = [cafile === "null" ? "" : cafile, process.env.NODE_EXTRA_CA_CERTS ?? ""].filter(Boolean);
  if (extra.length > 0) {
    // npm trusts the file's certificates in place of Node's own.
    const certificates = [...rootCertificates, ...extra.map((file) => readFileSync(file, "utf8"))];
    writeFileSync(join(work, "ca.pem"), certificates.join("\n"));
    volumes.push(`${join(work, "ca.pem")}:${CA_FILE}:ro`);
    lines.push(`cafile=${CA_FILE}`);
  }
  writeFileSync(join(work, "npmrc"), `${lines.join("\n")}\n`, { mode: 0o600 });
  volumes.push(`${join(work, "npmrc")}:${GLOBAL_NPMRC}:ro`);
  return volumes.flatMap((volume) => ["--volume", volume]);
}

/** Buildah with its storage and temporary files in the run's folder. The driver vfs works in any file system. */
function builder(work) {
  const temporary = join(work, "tmp");
  mkdirSync(temporary, { recursive: true });
  const env = { ...process.env, TMPDIR: temporary, BUILDAH_ISOLATION: "chroot" };
  const storage = [
    "--storage-driver",
    "vfs",
    "--root",
    join(work, "store"),
    "--runroot",
    join(work, "state"),
  ];
  return (...args) => runConfined("buildah", [...storage, ...args], env);
}

/**
 * Runs the Dockerfile's steps.
 *
 * @param {string} work a folder for this run
 * @returns {Promise<Image>}
 */
export async function buildImage(work) {
  const base = await makeBase(work);
  const buildah = builder(work);
  const empty = await buildah("from", "scratch");
  await runConfined("tar", ["-xf", base.archive, "-C", await buildah("mount", empty), "--numeric-owner"]);
  await buildah("commit", "--quiet", "--rm", empty, `localhost/${base.name}`);
  const settings = await shareNpmSettings(work);
  // The health check is part of Docker's format only.
  await buildah("build", "--pull-never", "--format", "docker", "--tag", TAG, ...settings, root);
  const container = await buildah("from", TAG);
  const { Docker } = JSON.parse(await buildah("inspect", "--type", "image", TAG));
  return { root: await buildah("mount", container), config: Docker.config };
}
