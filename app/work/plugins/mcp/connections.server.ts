import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { untilAborted } from "~/core/abort";
import type { McpTarget } from "../plugins.repo.server";
import { type Attempts, attempts, attemptsAt, openOnce, takeOpen } from "./backoff.server";
import { openHttpTransport, refuseOlderTransport } from "./http-transport.server";
import { httpStatus, isNoMcp, isProtocolError, toAppError } from "./mcp-errors.server";
import { newClient } from "./new-client.server";
import { accountId } from "./oauth/credentials.server";

/** Connect and handshake timeout, in ms. */
const CONNECT_TIMEOUT = 15_000;
const CLOSE_TIMEOUT = 2000;
/** Idle timeout, in ms. */
const IDLE = 5 * 60_000;

interface Connection {
  client: Client;
  transport: StreamableHTTPClientTransport;
  uses: number;
  isDropped: boolean;
  idle: NodeJS.Timeout | undefined;
}

type State = Attempts<Connection>;
const states = () => attempts<Connection>("connections");

async function connect(server: McpTarget, takesQuestions: boolean): Promise<Connection> {
  const transport = await openHttpTransport(server, takesQuestions);
  const client = await newClient(server, transport, takesQuestions);
  try {
    await client.connect(transport, { timeout: CONNECT_TIMEOUT });
  } catch (error) {
    if (isNoMcp(error)) await refuseOlderTransport(server);
    throw error;
  }
  return { client, transport, uses: 0, isDropped: false, idle: undefined };
}

async function end({ client, transport, idle }: Connection): Promise<void> {
  clearTimeout(idle);
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_TIMEOUT).unref());
  const closing = transport
    .terminateSession()
    .catch(() => undefined)
    .then(() => client.close())
    .catch(() => undefined);
  await Promise.race([closing, timeout]);
}

/** Retires a connection once its calls have ended. */
function drop(state: State, opened: Promise<Connection> | undefined): void {
  if (!opened) return;
  if (state.open === opened) delete state.open;
  opened.then(
    (connection) => {
      connection.isDropped = true;
      if (connection.uses === 0) void end(connection);
    },
    () => undefined,
  );
}

/** Refused credentials aren't retried. */
const isRefusal = (error: unknown, title: string) => toAppError(error, title).code === "provider_key";

/** An unknown session, as after a restart; some servers answer 400. */
const isSessionGone = (error: unknown) => httpStatus(error) === 404 || httpStatus(error) === 400;

async function use<T>(
  server: McpTarget,
  takesQuestions: boolean,
  state: State,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const opening = openOnce(
    state,
    `${server.title} can't be reached.`,
    () => connect(server, takesQuestions),
    (error) => !isRefusal(error, server.title),
  );
  const connection = await untilAborted(opening, signal);
  clearTimeout(connection.idle);
  connection.uses += 1;
  try {
    const result = await work(connection.client);
    state.failures = 0;
    return result;
  } catch (error) {
    // After its own error the connection is fine.
    if (!signal.aborted && !isProtocolError(error)) drop(state, opening);
    throw error;
  } finally {
    connection.uses -= 1;
    if (connection.uses === 0) {
      if (connection.isDropped) void end(connection);
      else {
        connection.idle = setTimeout(() => drop(state, opening), IDLE);
        connection.idle.unref();
      }
    }
  }
}

/** Of the connection that takes questions, beside the account's other one. */
const askingKey = (account: string) => `${account} asking`;

/**
 * Runs work on a shared connection. An expired session is renewed once: the work wasn't done.
 * @param takesQuestions on one whose server may ask the person; servers choose by it what they offer
 */
export async function withConnection<T>(
  server: McpTarget,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
  takesQuestions = false,
): Promise<T> {
  signal.throwIfAborted();
  const account = accountId(server);
  const key = takesQuestions ? askingKey(account) : account;
  const state = attemptsAt<Connection>("connections", key);
  const isNew = state.open === undefined;
  try {
    return await use(server, takesQuestions, state, signal, work);
  } catch (error) {
    if (isNew || !isSessionGone(error) || signal.aborted) throw error;
    return await use(server, takesQuestions, state, signal, work);
  }
}

/** Of all accounts at the server. */
const accountsAt = (id: string) =>
  [...states().keys()].filter((key) => key === id || key.startsWith(`${id} `));

/** Skips the backoff for a manual attempt. */
export function forgetFailures(id: string): void {
  for (const key of accountsAt(id)) attemptsAt<Connection>("connections", key).retryAt = 0;
}

async function close(key: string): Promise<void> {
  const connection = await takeOpen<Connection>("connections", key);
  if (connection) await end(connection);
}

/** By `accountId`. Also forgets failures. */
export async function closeAccount(account: string): Promise<void> {
  await Promise.all([account, askingKey(account)].map(close));
}

/** Of all accounts at a server. */
export async function closeConnection(id: string): Promise<void> {
  await Promise.all(accountsAt(id).map(close));
}

/** On shutdown. */
export async function closeConnections(): Promise<void> {
  await Promise.all([...states().keys()].map(close));
}
