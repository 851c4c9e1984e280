import type { Client } from "@modelcontextprotocol/client";
import { AppError } from "~/core/errors";
import type { McpTarget } from "../plugins.repo.server";
import { stopCommand, stopCommands, withCommand } from "./commands/command-host.server";
import { closeConnection, closeConnections, withConnection } from "./connections.server";
import { toAppError } from "./mcp-errors.server";
import { scopeNeeded } from "./oauth/credentials.server";

const MAX_CONCURRENT = 8;

const calls = new Map<string, number>();

/** Leaves its place to another call while the person is asked. @returns a function that takes it again */
export function leavePlace(server: Pick<McpTarget, "id">): () => void {
  change(server.id, -1);
  return () => change(server.id, 1);
}

function change(id: string, by: number): void {
  const count = (calls.get(id) ?? 0) + by;
  if (count > 0) calls.set(id, count);
  else calls.delete(id);
}

/**
 * Runs work on a server; its connection stays open until idle.
 * @param takesQuestions on a connection on which the server may ask the person
 * @throws AppError with a message for the user
 */
export async function withMcpClient<T>(
  server: McpTarget,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
  takesQuestions = false,
): Promise<T> {
  const count = calls.get(server.id) ?? 0;
  if (count >= MAX_CONCURRENT)
    throw new AppError(
      "unavailable",
      `${server.title} already has ${MAX_CONCURRENT} calls. Try again in a moment.`,
    );
  change(server.id, 1);
  try {
    if (server.transport === "command") return await withCommand(server, work);
    return await withConnection(server, signal, work, takesQuestions);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && "requiredScope" in error)
      throw scopeNeeded(server, error.requiredScope as string | undefined, error);
    throw toAppError(error, server.title);
  } finally {
    change(server.id, -1);
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
