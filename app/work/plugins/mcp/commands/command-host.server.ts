import type { Client } from "@modelcontextprotocol/client";
import { steadyNow } from "~/core/clock.server";
import { env, findMcpCommand } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { type Attempts, attempts, attemptsAt, noteFailure } from "../backoff.server";
import { boundMessages } from "../bounded-answer.server";
import type { McpTarget } from "../mcp-target";
import { newClient } from "../new-client.server";
import { CommandTransport } from "./command-transport.server";
import { sandboxed } from "./sandbox.server";

/** Idle timeout, in ms. */
const IDLE = 10 * 60_000;
const START_TIMEOUT = 20_000;

interface Hosted {
  transport: CommandTransport;
  client: Client;
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
  boundMessages(transport);
  const client = await newClient(server);
  client.onclose = () => {
    if (states().get(server.id) !== state || !state.open) return;
    delete state.open;
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
  return { transport, client, idle: undefined };
}

/**
 * Starts the command if needed.
 * @throws AppError `unavailable` during the backoff, `forbidden` unless listed by the operator
 */
async function running(server: McpTarget): Promise<Hosted> {
  const state = attemptsAt<Hosted>("commands", server.id);
  if (!state.open) {
    const wait = Math.ceil((state.retryAt - steadyNow()) / 1000);
    if (wait > 0)
      throw new AppError("unavailable", `${server.title} ended unexpectedly. Try again in ${wait} s.`);
    const begun = start(server, state);
    state.open = begun;
    begun.catch(() => {
      if (state.open === begun) delete state.open;
      noteFailure(state);
    });
  }
  return state.open as Promise<Hosted>;
}

export async function withCommand<T>(server: McpTarget, work: (client: Client) => Promise<T>): Promise<T> {
  const hosted = await running(server);
  clearTimeout(hosted.idle);
  try {
    const result = await work(hosted.client);
    attemptsAt<Hosted>("commands", server.id).failures = 0;
    return result;
  } finally {
    clearTimeout(hosted.idle);
    hosted.idle = setTimeout(() => void stopCommand(server.id), IDLE);
    hosted.idle.unref();
  }
}

/** Also forgets failures. */
export async function stopCommand(id: string): Promise<void> {
  const state = states().get(id);
  states().delete(id);
  const hosted = await state?.open?.catch(() => undefined);
  if (!hosted) return;
  clearTimeout(hosted.idle);
  await hosted.transport.close();
}

/** On shutdown. */
export async function stopCommands(): Promise<void> {
  await Promise.all([...states().keys()].map(stopCommand));
}
