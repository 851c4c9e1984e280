import { type ChildProcess, spawn } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { AppError } from "~/core/errors";
import { excessOf } from "~/core/json";
import { parseWellFormed } from "~/core/well-formed";
import { MAX_VALUES } from "../bounded-answer.server";
import { COMMAND_ENVIRONMENT } from "./sandbox.server";

const LINE_LIMIT = 5_000_000;
/** Characters of stderr kept for error messages. */
const ERROR_LIMIT = 2000;
/** Grace period after closing stdin, in ms. */
const GRACE = 1000;

/** MCP over stdio, in its own process group. */
export class CommandTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  #child: ChildProcess | undefined;
  #pending = "";
  #printed = "";
  #isClosed = false;

  constructor(
    readonly argv: readonly string[],
    readonly title: string,
  ) {}

  /** The end of its stderr. */
  get printed(): string {
    return this.#printed;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): Promise<void> {
    const [command = "", ...rest] = this.argv;
    const child = spawn(command, rest, {
      cwd: "/tmp",
      env: COMMAND_ENVIRONMENT as NodeJS.ProcessEnv,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    child.stdin.on("error", () => undefined);
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#printed = (this.#printed + text.toWellFormed()).slice(-ERROR_LIMIT);
    });
    child.once("exit", () => this.#ended());
    return new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (cause) => {
        this.#ended();
        reject(
          new AppError("unavailable", `${this.title} can't be started: ${cause.message.slice(0, 200)}`, {
            cause,
          }),
        );
      });
    });
  }

  #read(text: string): void {
    this.#pending += text;
    for (let end = this.#pending.indexOf("\n"); end >= 0; end = this.#pending.indexOf("\n")) {
      const line = this.#pending.slice(0, end).trim();
      this.#pending = this.#pending.slice(end + 1);
      if (line) this.#take(line);
    }
    if (this.#pending.length > LINE_LIMIT) this.#refuse("has more than 5 MB");
  }

  #refuse(what: string): void {
    this.onerror?.(new AppError("too_large", `${this.title} sent a message that ${what}.`));
    this.kill();
  }

  #take(line: string): void {
    const excess = excessOf(line, MAX_VALUES);
    if (excess) {
      this.#refuse(excess);
      return;
    }
    try {
      this.onmessage?.(parseWellFormed(line) as never);
    } catch (cause) {
      this.onerror?.(new Error("a line isn't JSON", { cause }));
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (!stdin?.writable) throw new AppError("unavailable", `${this.title} has ended.`);
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  #ended(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Includes child processes.
    this.kill();
    this.onclose?.();
  }

  /** Kills the whole process group. */
  kill(): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // Already gone.
    }
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child || this.#isClosed) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.stdin?.end();
    const timer = setTimeout(() => this.kill(), GRACE);
    await gone;
    clearTimeout(timer);
  }
}
