import type { Client } from "@modelcontextprotocol/client";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { keyForWorkflow } from "~/features/keys/keys.service.server";
import { withCommand } from "./commands/command-host.server";
import { toAppError } from "./mcp-errors.server";
import type { McpTarget } from "./mcp-target";
import { newClient } from "./new-client.server";

/** Of one response, in bytes. */
const MAX_BYTES = 5_000_000;
/** Connecting and agreeing on the protocol's revision, in ms. */
const CONNECT_TIMEOUT = 15_000;
const CLOSE_TIMEOUT = 2000;
/** Connections to one server at once. */
const MOST_AT_ONCE = 8;

const open = new Map<string, number>();

/** The headers of a server, with the keys read now. @throws AppError `provider_key` */
function headersOf({ orgId, target, keys }: McpTarget): Record<string, string> {
  const { origin } = new URL(target);
  return Object.fromEntries(
    keys.map(({ name, keyId, prefix }) => [name, prefix + keyForWorkflow(orgId, keyId, origin)]),
  );
}

async function connect(server: McpTarget, signal: AbortSignal, timeoutMs: number): Promise<Client> {
  const { target, id } = server;
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const headers = headersOf(server);
  const transport = new StreamableHTTPClientTransport(new URL(target), {
    fetch: guardedFetch(`plugin:${id}`, {
      hosts: [new URL(target).host],
      timeoutMs,
      silenceMs: timeoutMs,
      maxBytes: MAX_BYTES,
      secretHeaders: Object.keys(headers),
    }),
    requestInit: { headers },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
    },
  });
  const client = await newClient();
  await client.connect(transport, { signal, timeout: CONNECT_TIMEOUT });
  return client;
}

async function close(client: Client): Promise<void> {
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_TIMEOUT).unref());
  await Promise.race([client.close().catch(() => undefined), timeout]);
}

/**
 * Connects to a server for one piece of work and closes the connection after it; a local command continues.
 *
 * @throws AppError for whatever goes wrong, in words for a person
 */
export async function withMcpClient<T>(
  server: McpTarget,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const count = open.get(server.id) ?? 0;
  if (count >= MOST_AT_ONCE)
    throw new AppError(
      "unavailable",
      `${server.title} already has ${MOST_AT_ONCE} calls. Try again in a moment.`,
    );
  open.set(server.id, count + 1);
  let client: Client | undefined;
  try {
    if (server.transport === "command") return await withCommand(server, work);
    client = await connect(server, signal, timeoutMs);
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    throw toAppError(error, server.title);
  } finally {
    if (client) await close(client);
    open.set(server.id, (open.get(server.id) ?? 1) - 1);
  }
}
