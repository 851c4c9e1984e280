import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { root, run } from "../process.mjs";
import { startConfined } from "./confined.mjs";

/** @typedef {import("./build.mjs").Image} Image */
/** @typedef {{ uid: number, gid: number }} User */

/** In ms; generous, as other work shares the machine. */
const START_TIMEOUT = 60_000;
/** The grace period in compose.yaml, in ms. */
const STOP_TIMEOUT = 15_000;

/** @returns {Promise<number>} a port for a container, which has no network of its own */
const freePort = () =>
  new Promise((done, failed) => {
    const probe = createServer().once("error", failed);
    probe.listen(0, () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });

const rowsOf = (image, file) =>
  readFileSync(join(image.root, file), "utf8")
    .split("\n")
    .map((line) => line.split(":"));

/** The user that the Dockerfile names. @returns {User} */
export function userOf(image) {
  const row = rowsOf(image, "etc/passwd").find(([name]) => name === image.config.User);
  if (!row) throw new Error(`The image has no user ${image.config.User}.`);
  return { uid: Number(row[2]), gid: Number(row[3]) };
}

/** The folder that the Dockerfile makes a volume. */
export const volumeOf = (image) => Object.keys(image.config.Volumes)[0];

/** The built console in a container: as compose.yaml starts it, without capabilities. */
export class Container {
  #confined;
  #address = "";

  /**
   * @param {Image} image
   * @param {{ work: string, data: string, user?: User, readOnly?: boolean, capabilities?: string[],
   *   env?: Record<string, string> }} options `data`: the host's folder at the place of the volume
   */
  constructor(image, { work, data, user = userOf(image), readOnly = false, capabilities = [], env = {} }) {
    Object.assign(this, { image, work, data, user, readOnly, capabilities, env });
  }

  get output() {
    return this.#confined?.printed.text ?? "";
  }

  /** A command as the container's user, in the image's folder. */
  #asUser(command) {
    const { uid, gid } = this.user;
    const user = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
    const bounds = ["-all", ...this.capabilities.map((name) => `+${name}`)];
    const rights = [`--bounding-set=${bounds.join()}`, "--inh-caps=-all", "--no-new-privs"];
    const folder = ["env", "--unset=PWD", `--chdir=${this.image.config.WorkingDir}`];
    // A change of the user makes the kernel forget that the process is to end with its parent.
    return [...folder, "setpriv", "--pdeathsig=keep", ...user, ...rights, ...command];
  }

  /** As a container's runtime sets it; a uid without a name has no home. */
  async #variables() {
    const row = rowsOf(this.image, "etc/passwd").find(([, , uid]) => Number(uid) === this.user.uid);
    const own = this.image.config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2));
    return { ...Object.fromEntries(own), HOME: row?.[5] ?? "/", PORT: String(await freePort()), ...this.env };
  }

  /** @param {string[]} [args] by default the image's command @returns {Promise<number>} its exit code, once it ends */
  async run(args = this.image.config.Cmd) {
    this.variables = await this.#variables();
    this.#address = `http://127.0.0.1:${this.variables.PORT}`;
    const scratch = mkdtempSync(join(this.work, "container-"));
    const mounts = [this.image.root, scratch, this.data, volumeOf(this.image), this.readOnly ? "no" : "yes"];
    const command = this.#asUser([...(this.image.config.Entrypoint ?? []), ...args]);
    const script = join(root, "scripts/image/container.sh");
    this.#confined = startConfined("sh", [script, ...mounts, ...command], this.variables);
    return this.#confined.ended;
  }

  async start() {
    let code;
    const ended = this.run().then((result) => {
      code = result;
    });
    const deadline = Date.now() + START_TIMEOUT;
    while (!this.output.includes("Quarterdeck is ready at")) {
      if (code !== undefined) throw new Error(`The container ended with ${code}.`);
      if (Date.now() > deadline) throw new Error("The container didn't get ready in time.");
      await Promise.race([ended, new Promise((next) => setTimeout(next, 50))]);
    }
  }

  /** The first process of the container, as the host counts. */
  get pid() {
    const [pid] = childrenOf(this.#confined.child.pid);
    if (pid === undefined) throw new Error("The container isn't running.");
    return pid;
  }

  /** Runs another command in it, as `docker exec` does. */
  exec(command) {
    const enter = [`--target=${this.pid}`, "--mount", "--pid", "--root", "--"];
    const cleared = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
    return run("nsenter", [...enter, ...this.#asUser(command)], { env: { ...cleared, ...this.variables } });
  }

  /** @returns {Promise<number>} its exit code */
  async stop() {
    const { pid } = this;
    process.kill(pid, "SIGTERM");
    const timer = setTimeout(() => this.kill(), STOP_TIMEOUT);
    const code = await this.#confined.ended;
    clearTimeout(timer);
    return code;
  }

  kill() {
    this.#confined?.child.kill("SIGKILL");
  }

  /** @param {RequestInit} [options] */
  ask(path, options = {}) {
    const headers = { origin: this.#address, ...options.headers };
    return fetch(new URL(path, this.#address), { redirect: "manual", ...options, headers });
  }
}

/** @returns {number[]} the processes that a process has started */
export const childrenOf = (pid) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
