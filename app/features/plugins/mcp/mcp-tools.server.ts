import { authorise } from "~/features/members/authorisation.server";
import type { Tool } from "~/features/tools/tool-sources.service.server";
import type { McpServerRow } from "../plugins.repo.server";
import { withMcpClient } from "./mcp-client.server";
import { allowedTools } from "./mcp-plugin.server";
import { toOutput } from "./mcp-result.server";

const TIMEOUT = 60_000;
const OUTPUT_LIMIT = 60_000;

/** The allowed tools of a server. Every call leaves the console, whatever the server's own hints say. */
export function toolsOfServer(server: McpServerRow): readonly Tool[] {
  return allowedTools(server).map(({ name, title, description, inputSchema }) => ({
    name: `${server.id}.${name}`,
    title,
    description,
    effect: "outside" as const,
    input: inputSchema,
    timeoutMs: TIMEOUT,
    outputLimit: OUTPUT_LIMIT,
    pluginId: server.id,
    async run(input, { actor, signal }) {
      authorise(actor, "chat.use");
      const options = { signal, timeout: TIMEOUT, resetTimeoutOnProgress: true, maxTotalTimeout: TIMEOUT };
      const result = await withMcpClient(server, { signal, timeoutMs: TIMEOUT }, (client) =>
        client.callTool({ name, arguments: input as Record<string, unknown> }, options),
      );
      return toOutput(server.title, result);
    },
  }));
}
