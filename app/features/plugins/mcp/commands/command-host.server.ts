import type { Client } from "@modelcontextprotocol/client";
import { now } from "~/core/clock.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import type { McpTarget } from "../mcp-target";
import { newClient } from "../new-client.server";
import { CommandTransport } from "./command-transport.server";
import { sandboxed } from "./sandbox.server";

/** Delay before a restart after so many failures in a row, in ms. */
const FIRST_DELAY = 1000;
const LONGEST_DELAY = 60_000;
/** A command that nothing called for so long is stopped, in ms. */
const IDLE = 10 * 60_000;
const START_TIMEOUT = 20_000;

interface Hosted {
  transport: CommandTransport;
  client: Client;
  idle: NodeJS.Timeout | undefined;
}

interface State {
  running?: Promise<Hosted>;
  failures: number;
  /** No start before this time. */
  retryAt: number;
}

// Development evaluates modules again; what runs must be found and stopped.
const holder = globalThis as typeof globalThis & { quarterdeckCommands?: Map<string, State> };

function states(): Map<string, State> {
  holder.quarterdeckCommands ??= new Map();
  return holder.quarterdeckCommands;
}

function stateOf(id: string): State {
  let state = states().get(id);
  if (!state) {
    state = { failures: 0, retryAt: 0 };
    states().set(id, state);
  }
  return state;
}

function noteFailure(state: State): void {
  state.failures += 1;
  state.retryAt = now() + Math.min(FIRST_DELAY * 2 ** (state.failures - 1), LONGEST_DELAY);
}

async function start(server: McpTarget, state: State): Promise<Hosted> {
  const command = env().MCP_COMMANDS?.[server.target];
  if (!command)
    throw new AppError(
      "forbidden",
      `The command "${server.target}" isn't allowed. The operator lists it in MCP_COMMANDS.`,
    );
  const transport = new CommandTransport(sandboxed(command), server.title);
  const client = await newClient();
  client.onclose = () => {
    if (states().get(server.id) !== state || !state.running) return;
    delete state.running;
    noteFailure(state);
    log.warn("an MCP command ended by itself", { purpose: `plugin:${server.id}` });
  };
  try {
    await client.connect(transport, { timeout: START_TIMEOUT });
  } catch (cause) {
    transport.kill();
    const said = transport.printed.replaceAll(/\s+/g, " ").trim().slice(-300);
    const message = `${server.title} didn't start${said ? `: ${said}` : "."}`;
    throw cause instanceof AppError ? cause : new AppError("unavailable", message, { cause });
  }
  return { transport, client, idle: undefined };
}

/**
 * The running command of a server, started where it isn't.
 *
 * @throws AppError `unavailable` while it waits after a failure, `forbidden` for one that the operator doesn't list
 */
async function running(server: McpTarget): Promise<Hosted> {
  const state = stateOf(server.id);
  if (!state.running) {
    const wait = Math.ceil((state.retryAt - now()) / 1000);
    if (wait > 0)
      throw new AppError("unavailable", `${server.title} ended unexpectedly. Try again in ${wait} s.`);
    const begun = start(server, state);
    state.running = begun;
    begun.catch(() => {
      if (state.running === begun) delete state.running;
      noteFailure(state);
    });
  }
  return state.running as Promise<Hosted>;
}

/** Runs one piece of work on a server's command. */
export async function withCommand<T>(server: McpTarget, work: (client: Client) => Promise<T>): Promise<T> {
  const hosted = await running(server);
  clearTimeout(hosted.idle);
  try {
    const result = await work(hosted.client);
    stateOf(server.id).failures = 0;
    return result;
  } finally {
    clearTimeout(hosted.idle);
    hosted.idle = setTimeout(() => void stopCommand(server.id), IDLE);
    hosted.idle.unref();
  }
}

/** Stops a server's command, if it runs, and forgets its failures. */
export async function stopCommand(id: string): Promise<void> {
  const state = states().get(id);
  states().delete(id);
  const hosted = await state?.running?.catch(() => undefined);
  if (!hosted) return;
  clearTimeout(hosted.idle);
  await hosted.transport.close();
}

/** Stops every command, for the end of the process. */
export async function stopCommands(): Promise<void> {
  await Promise.all([...states().keys()].map(stopCommand));
}
