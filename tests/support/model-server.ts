import { type ChildProcess, spawn } from "node:child_process";

/** Loading the model takes a second, importing the server's packages some more on a busy machine. In ms. */
const START_TIMEOUT = 120_000;
/** Lines kept for the error of a start that fails. */
const KEPT_LINES = 30;

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** A small language model in llama-cpp-python's server, as `npm run test:model` installs both. */
export class ModelServer {
  readonly model = "smollm2-135m";
  #child: ChildProcess | undefined;
  #port = 0;

  constructor(
    readonly python: string,
    readonly file: string,
    /** In tokens. */
    readonly contextLength: number,
  ) {}

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  /** After the first start the port stays the same. @throws Error with what the server printed */
  async start(): Promise<void> {
    const options = {
      model: this.file,
      model_alias: this.model,
      host: "127.0.0.1",
      port: this.#port,
      n_ctx: this.contextLength,
      // A second thread waits actively, and beside other work both write a token a second.
      n_threads: 1,
      n_threads_batch: 1,
      seed: 1,
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn(this.python, ["-m", "llama_cpp.server", ...args], {
      env: { ...process.env, OMP_WAIT_POLICY: "passive" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    children.add(child);
    child.once("exit", () => children.delete(child));
    let printed = "";
    await new Promise<void>((ready, failed) => {
      const fail = (why: string) => {
        clearTimeout(timer);
        child.kill("SIGKILL");
        const last = printed.trimEnd().split("\n").slice(-KEPT_LINES).join("\n");
        failed(new Error(`The model's server didn't start. ${why}\n${last}`));
      };
      const timer = setTimeout(() => fail("It didn't get ready in time."), START_TIMEOUT);
      const read = (chunk: string) => {
        printed += chunk;
        const [, port] = /running on http:\/\/127\.0\.0\.1:(\d+)/.exec(printed) ?? [];
        if (!port) return;
        clearTimeout(timer);
        this.#port = Number(port);
        // It goes on printing, which must not fill memory or the pipe.
        child.stdout.off("data", read).resume();
        child.stderr.off("data", read).resume();
        ready();
      };
      child.stdout.setEncoding("utf8").on("data", read);
      child.stderr.setEncoding("utf8").on("data", read);
      child.once("error", ({ message }) => fail(message));
      child.once("exit", (code, signal) => fail(`It ended with ${signal ?? code}.`));
    });
  }

  /** Like a crash. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await ended;
  }
}
