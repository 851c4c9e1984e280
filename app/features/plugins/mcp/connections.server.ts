import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { now } from "~/core/clock.server";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { keyForWorkflow } from "~/features/keys/keys.service.server";
import { type Attempts, attempts, attemptsAt, noteFailure } from "./backoff.server";
import { toAppError } from "./mcp-errors.server";
import type { McpTarget } from "./mcp-target";
import { newClient } from "./new-client.server";
import { tokenSource } from "./oauth/token-source.server";

/** Of one response, in bytes. */
const MAX_BYTES = 5_000_000;
/** One request with its whole response, in ms. */
const REQUEST_TIMEOUT = 65_000;
/** Connecting and agreeing on the protocol's revision, in ms. */
const CONNECT_TIMEOUT = 15_000;
const CLOSE_TIMEOUT = 2000;
/** A connection that nothing used for so long is closed, in ms. */
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

/** The headers of a server, with the keys read at each request. @throws AppError `provider_key` */
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
  });
  return async (input, init) => {
    // A stream of notifications per server would stay open for ever. Those within the response to a call are followed.
    if (init?.method === "GET") return new Response(null, { status: 405 });
    const headers = new Headers(init?.headers);
    for (const [name, value] of keyHeaders(server)) headers.set(name, value);
    return guarded(input, { ...init, headers });
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
  const client = await newClient(server);
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

/** Takes a connection out of use; calls that still run on it end first. */
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

/** A refused sign-in isn't mended by waiting. */
const isRefusal = (error: unknown, title: string) => toAppError(error, title).code === "provider_key";

/** The connection to a server, opened where there is none. @throws AppError `unavailable` while it waits after a failure */
function opened(server: McpTarget, state: State): Promise<Connection> {
  if (state.open) return state.open;
  const wait = Math.ceil((state.retryAt - now()) / 1000);
  if (wait > 0)
    throw new AppError("unavailable", `${server.title} can't be reached. Try again in ${wait} s.`);
  const opening = connect(server);
  state.open = opening;
  opening.catch((error: unknown) => {
    if (state.open === opening) delete state.open;
    if (!isRefusal(error, server.title)) noteFailure(state);
  });
  return opening;
}

const httpStatus = (error: unknown) => {
  const { status, data } = (error ?? {}) as { status?: unknown; data?: { status?: unknown } };
  return status ?? data?.status;
};

/** Whether the server answered the call itself, so that the connection is sound. */
const isAnswer = (error: unknown) => typeof (error as { code?: unknown } | null)?.code === "number";

/** Whether a server doesn't know the session any more, as after its restart. Some answer 400 to that. */
const isSessionGone = (error: unknown) => httpStatus(error) === 404 || httpStatus(error) === 400;

/** Waits no longer than the caller: others may wait for the same. */
function orAborted<T>(waited: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    waited.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

async function use<T>(
  server: McpTarget,
  state: State,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const opening = opened(server, state);
  const connection = await orAborted(opening, signal);
  clearTimeout(connection.idle);
  connection.uses += 1;
  try {
    const result = await work(connection.client);
    state.failures = 0;
    return result;
  } catch (error) {
    if (!signal.aborted && !isAnswer(error)) drop(state, opening);
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

/**
 * Runs one piece of work over the connection to a server by HTTP, which is kept for the next. A session that the server
 * has ended is opened again once: it didn't do the work.
 */
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

/** Lets the next use connect at once, for a person who asks for it. */
export function forgetFailures(id: string): void {
  const state = states().get(id);
  if (state) state.retryAt = 0;
}

/** Closes the connection to a server, if there is one, and forgets its failures. */
export async function closeConnection(id: string): Promise<void> {
  const state = states().get(id);
  states().delete(id);
  if (!state?.open) return;
  const opening = state.open;
  delete state.open;
  const connection = await opening.catch(() => undefined);
  if (connection) await end(connection);
}

/** Closes every connection, for the end of the process. */
export async function closeConnections(): Promise<void> {
  await Promise.all([...states().keys()].map(closeConnection));
}
