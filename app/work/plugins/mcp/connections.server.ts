import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { untilAborted } from "~/core/abort";
import { guardedFetch } from "~/core/egress/index.server";
import { keyForWorkflow } from "~/team/keys/keys.service.server";
import type { McpTarget } from "../plugins.repo.server";
import { type Attempts, attempts, attemptsAt, openOnce, takeOpen } from "./backoff.server";
import { boundAnswer } from "./bounded-answer.server";
import { httpStatus, isProtocolError, toAppError } from "./mcp-errors.server";
import { newClient } from "./new-client.server";
import { tokenSource } from "./oauth/credentials.server";

const MAX_BYTES = 5_000_000;
/** Request timeout, in ms. */
const REQUEST_TIMEOUT = 65_000;
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

/** Keys are read per request. @throws AppError `provider_key` */
function keyHeaders({ orgId, target, keys }: McpTarget): [string, string][] {
  const { origin } = new URL(target);
  return keys.map(({ name, keyId, prefix }) => [name, prefix + keyForWorkflow(orgId, keyId, origin)]);
}

function fetchFor(server: McpTarget): typeof fetch {
  const guarded = guardedFetch(`plugin:${server.id}`, {
    hosts: [new URL(server.target).host],
    timeoutMs: REQUEST_TIMEOUT,
    silenceMs: REQUEST_TIMEOUT,
    maxBytes: MAX_BYTES,
    secretHeaders: server.keys.map(({ name }) => name),
    sendsTrace: true,
  });
  return async (input, init) => {
    // Refuses a permanent notification stream per server; those within a response are read.
    if (init?.method === "GET") return new Response(null, { status: 405 });
    const headers = new Headers(init?.headers);
    for (const [name, value] of keyHeaders(server)) headers.set(name, value);
    return boundAnswer(await guarded(input, { ...init, headers }), server.title);
  };
}

async function connect(server: McpTarget): Promise<Connection> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const authProvider = tokenSource(server);
  const transport = new StreamableHTTPClientTransport(new URL(server.target), {
    fetch: fetchFor(server),
    ...(authProvider && { authProvider }),
    onInsufficientScope: "throw",
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
    },
  });
  const client = await newClient(server, transport);
  await client.connect(transport, { timeout: CONNECT_TIMEOUT });
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
  state: State,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const opening = openOnce(
    state,
    `${server.title} can't be reached.`,
    () => connect(server),
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

/** Runs work on a shared connection. An expired session is renewed once: the work wasn't done. */
export async function withConnection<T>(
  server: McpTarget,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const state = attemptsAt<Connection>("connections", server.id);
  const isNew = state.open === undefined;
  try {
    return await use(server, state, signal, work);
  } catch (error) {
    if (isNew || !isSessionGone(error) || signal.aborted) throw error;
    return await use(server, state, signal, work);
  }
}

/** Skips the backoff for a manual attempt. */
export function forgetFailures(id: string): void {
  const state = states().get(id);
  if (state) state.retryAt = 0;
}

/** Also forgets failures. */
export async function closeConnection(id: string): Promise<void> {
  const connection = await takeOpen<Connection>("connections", id);
  if (connection) await end(connection);
}

/** On shutdown. */
export async function closeConnections(): Promise<void> {
  await Promise.all([...states().keys()].map(closeConnection));
}
