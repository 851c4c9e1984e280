import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { root, run } from "../process.mjs";
import { runConfined } from "./confined.mjs";

/**
 * @typedef {object} Image a built image, unpacked
 * @property {string} root its files
 * @property {{ Env: string[], Cmd: string[], Entrypoint?: string[], User: string, WorkingDir: string,
 *   Volumes: Record<string, object>, Healthcheck: { Test: string[] } }} config
 */

// Makes what the Dockerfile starts from, an official image of Node, from Debian's and npm's packages: no registry of
// images is asked.

/** The npm that each Node comes with: its package has the program only. */
const NPM_OF_NODE = { 22: "10", 24: "11" };

/** A base is made once; without its file the next run makes it of newer packages. */
const cache = join(root, ".cache/image");

/**
 * Reads the base's name from the Dockerfile, as `node:24-bookworm-slim`.
 * @returns {{ name: string, node: string, suite: string }}
 */
function readBaseName() {
  // What stands behind the console's stage isn't built here.
  const [stages = ""] = readFileSync(join(root, "Dockerfile"), "utf8").split(/(?<=^FROM .* AS console$)/m);
  const froms = stages.matchAll(/^FROM\s+(\S+)/gm);
  const names = [...new Set([...froms].map(([, name]) => name))];
  const [, node, suite] = /^node:(\d+)-([a-z]+)-slim$/.exec(names[0]) ?? [];
  if (names.length !== 1 || !(node in NPM_OF_NODE))
    throw new Error(`A base like node:24-bookworm-slim can be made here, not ${names.join(" and ")}.`);
  return { name: names[0], node, suite };
}

/** The mirror that this machine's apt uses. */
async function findMirror() {
  const fields = "$(LABEL)|$(COMPONENT)|$(SITE)";
  const { output } = await run("apt-get", ["indextargets", "--format", fields, "Created-By: Packages"]);
  const line = output.split("\n").find((text) => text.startsWith("Debian|main|"));
  if (!line) throw new Error("apt's sources name no mirror of Debian, from which the base is made.");
  return line.slice("Debian|main|".length);
}

/** Unpacks a package of npm's registry. */
async function unpackPackage(spec, folder, target, parts = []) {
  const packed = await run("npm", ["pack", spec, "--silent", "--pack-destination", folder]);
  if (packed.code !== 0) throw new Error(packed.output);
  const file = join(folder, packed.output.trim().split("\n").at(-1));
  mkdirSync(target, { recursive: true });
  const options = ["--no-same-owner", "--strip-components=1"];
  await runConfined("tar", ["-xzf", file, "-C", target, ...options, ...parts]);
}

async function addNode(node, folder, base) {
  const local = join(base, "usr/local");
  await unpackPackage(`node-linux-${process.arch}@${node}`, folder, local, ["package/bin/node"]);
  await unpackPackage(`npm@${NPM_OF_NODE[node]}`, folder, join(local, "lib/node_modules/npm"));
  for (const name of ["npm", "npx"])
    await runConfined("ln", ["-s", `../lib/node_modules/npm/bin/${name}-cli.js`, join(local, "bin", name)]);
  await runConfined("chroot", [base, "groupadd", "--gid", "1000", "node"]);
  const user = ["--uid", "1000", "--gid", "node", "--shell", "/bin/bash", "--create-home", "node"];
  await runConfined("chroot", [base, "useradd", ...user]);
}

/**
 * @param {string} work a folder for this run
 * @returns {Promise<{ name: string, archive: string }>} the base's name in the Dockerfile, and its files
 */
async function makeBase(work) {
  const { name, node, suite } = readBaseName();
  const archive = join(cache, `${name.replace(":", "-")}-${process.arch}.tar`);
  if (existsSync(archive)) return { name, archive };
  console.log(`Making ${name} from Debian's packages …`);
  const base = join(work, "base");
  await runConfined("debootstrap", ["--variant=minbase", suite, base, await findMirror()]);
  await addNode(node, work, base);
  const partial = join(work, "base.tar");
  const left = ["./dev/*", "./var/cache/apt/*", "./var/lib/apt/lists/*", "./var/log/*"];
  const excludes = left.map((path) => `--exclude=${path}`);
  await runConfined("tar", ["-cf", partial, "-C", base, "--numeric-owner", ...excludes, "."]);
  renameSync(partial, archive);
  rmSync(base, { recursive: true });
  return { name, archive };
}

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
  const kept = join(cache, "npm");
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
  await buildah(
    "build",
    "--pull-never",
    "--target",
    "console",
    "--format",
    "docker",
    "--tag",
    TAG,
    ...settings,
    root,
  );
  const container = await buildah("from", TAG);
  const { Docker } = JSON.parse(await buildah("inspect", "--type", "image", TAG));
  return { root: await buildah("mount", container), config: Docker.config };
}
