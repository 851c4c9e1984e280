import { type ChildProcess, spawn } from "node:child_process";
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { env, findMcpCommand } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { excessOf } from "~/core/parse";
import { parseWellFormed } from "~/core/well-formed";
import type { McpTarget } from "../../plugins.repo.server";
import { type Attempts, attempts, attemptsAt, noteFailure, openOnce, takeOpen } from "../backoff.server";
import { MAX_VALUES } from "../bounded-answer.server";
import { newClient } from "../new-client.server";
import { COMMAND_ENVIRONMENT, sandboxed } from "./sandbox.server";

/** Idle timeout, in ms. */
const IDLE = 10 * 60_000;
const START_TIMEOUT = 20_000;

interface Hosted {
  transport: CommandTransport;
  client: Client;
  uses: number;
  idle: NodeJS.Timeout | undefined;
}

type State = Attempts<Hosted>;
const states = () => attempts<Hosted>("commands");

async function start(server: McpTarget, state: State): Promise<Hosted> {
  const command = findMcpCommand(env().MCP_COMMANDS, server.target);
  if (!command)
    throw new AppError(
      "forbidden",
      `The command "${server.target}" isn't allowed. Ask the operator to add it to MCP_COMMANDS.`,
    );
  const transport = new CommandTransport(sandboxed(command), server.title);
  const client = await newClient(server, transport, true);
  client.onclose = () => {
    if (states().get(server.id) !== state || !state.open) return;
    delete state.open;
    // Its next start needn't wait: the console ended it.
    if (transport.refusal) return;
    noteFailure(state);
    log.warn("an MCP command ended by itself", { purpose: `plugin:${server.id}` });
  };
  try {
    await client.connect(transport, { timeout: START_TIMEOUT });
  } catch (cause) {
    transport.kill();
    const printed = transport.printed.replaceAll(/\s+/g, " ").trim().slice(-300);
    const message = `${server.title} didn't start${printed ? `: ${printed}` : "."}`;
    throw cause instanceof AppError ? cause : new AppError("unavailable", message, { cause });
  }
  return { transport, client, uses: 0, idle: undefined };
}

/**
 * Starts the command if needed.
 * @throws AppError `unavailable` during the backoff, `forbidden` unless listed by the operator
 */
export async function withCommand<T>(server: McpTarget, work: (client: Client) => Promise<T>): Promise<T> {
  const state = attemptsAt<Hosted>("commands", server.id);
  const hosted = await openOnce(state, `${server.title} ended unexpectedly.`, () => start(server, state));
  clearTimeout(hosted.idle);
  hosted.uses += 1;
  try {
    const result = await work(hosted.client);
    state.failures = 0;
    return result;
  } catch (error) {
    throw hosted.transport.refusal ?? error;
  } finally {
    hosted.uses -= 1;
    if (hosted.uses === 0) {
      hosted.idle = setTimeout(() => void stopCommand(server.id), IDLE);
      hosted.idle.unref();
    }
  }
}

/** Also forgets failures. */
export async function stopCommand(id: string): Promise<void> {
  const hosted = await takeOpen<Hosted>("commands", id);
  if (!hosted) return;
  clearTimeout(hosted.idle);
  await hosted.transport.close();
}

/** On shutdown. */
export async function stopCommands(): Promise<void> {
  await Promise.all([...states().keys()].map(stopCommand));
}

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
  /** The end of its stderr. */
  printed = "";
  /** Why the console ended it. */
  refusal: AppError | undefined;
  #isClosed = false;

  constructor(
    readonly argv: readonly string[],
    readonly title: string,
  ) {}

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
      this.printed = (this.printed + text.toWellFormed()).slice(-ERROR_LIMIT);
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
    if (this.refusal) return;
    this.#pending += text;
    for (let end = this.#pending.indexOf("\n"); end >= 0; end = this.#pending.indexOf("\n")) {
      const line = this.#pending.slice(0, end).trim();
      this.#pending = this.#pending.slice(end + 1);
      if (line) this.#take(line);
    }
    if (this.#pending.length > LINE_LIMIT) this.#refuse(this.#tooLarge);
  }

  get #tooLarge(): string {
    return `The response from ${this.title} is larger than 5 MB.`;
  }

  #refuse(message: string): void {
    this.refusal = new AppError("too_large", message);
    this.onerror?.(this.refusal);
    this.kill();
  }

  #take(line: string): void {
    if (line.length > LINE_LIMIT) {
      this.#refuse(this.#tooLarge);
      return;
    }
    const excess = excessOf(line, MAX_VALUES);
    if (excess) {
      this.#refuse(`${this.title} sent an answer that ${excess}.`);
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
