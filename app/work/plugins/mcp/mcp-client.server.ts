import type { Client } from "@modelcontextprotocol/client";
import { AppError } from "~/core/errors";
import type { McpTarget } from "../plugins.repo.server";
import { stopCommand, stopCommands, withCommand } from "./commands/command-host.server";
import { closeConnection, closeConnections, withConnection } from "./connections.server";
import { toAppError } from "./mcp-errors.server";
import { scopeNeeded } from "./oauth/credentials.server";

const MAX_CONCURRENT = 8;

const calls = new Map<string, number>();

/** Runs work on a server; its connection stays open until idle. @throws AppError with a message for the user */
export async function withMcpClient<T>(
  server: McpTarget,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const count = calls.get(server.id) ?? 0;
  if (count >= MAX_CONCURRENT)
    throw new AppError(
      "unavailable",
      `${server.title} already has ${MAX_CONCURRENT} calls. Try again in a moment.`,
    );
  calls.set(server.id, count + 1);
  try {
    if (server.transport === "command") return await withCommand(server, work);
    return await withConnection(server, signal, work);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && "requiredScope" in error)
      throw scopeNeeded(server, error.requiredScope as string | undefined, error);
    throw toAppError(error, server.title);
  } finally {
    const remaining = (calls.get(server.id) ?? 1) - 1;
    if (remaining > 0) calls.set(server.id, remaining);
    else calls.delete(server.id);
  }
}

/** Also forgets failures. */
export async function disconnectServer(id: string): Promise<void> {
  await Promise.all([stopCommand(id), closeConnection(id)]);
}

/** On shutdown. */
export async function disconnectServers(): Promise<void> {
  await Promise.all([stopCommands(), closeConnections()]);
}
