export interface McpCommand {
  argv: readonly string[];
  network: boolean;
}

const ENTRY = /^([a-z][a-z0-9-]{0,30})(:network)?=(\S.*)$/;

/** A command of MCP_COMMANDS, by its own name only. */
export function findMcpCommand(
  commands: Readonly<Record<string, McpCommand>> = {},
  name: string,
): McpCommand | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

/**
 * Parses MCP_COMMANDS: `name=command arguments`, separated by semicolons or lines, with `name:network=…`
 * for network access. There is no shell, so an argument has no spaces.
 * @throws Error with the malformed entry
 */
export function parseMcpCommands(text: string): Readonly<Record<string, McpCommand>> {
  const entries = text
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => {
      const [, name, network, command = ""] = ENTRY.exec(entry) ?? [];
      if (!name) throw new Error(`"${entry.slice(0, 60)}" is not name=command`);
      return [name, { argv: command.trim().split(/\s+/), network: network !== undefined }];
    }),
  );
}
