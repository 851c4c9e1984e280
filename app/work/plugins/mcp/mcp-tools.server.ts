import type { Client } from "@modelcontextprotocol/client";
import type { Tool } from "~/ai/tools/tool.shared";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import type { McpServerRow, McpTool } from "../plugins.repo.server";
import { withMcpClient } from "./mcp-client.server";
import { allowedTools } from "./mcp-plugin.server";
import { toOutput } from "./mcp-result.server";

const TIMEOUT = 60_000;
const OUTPUT_LIMIT = 60_000;

type Context = Parameters<Tool["run"]>[1];

function listResources({ resources }: McpServerRow) {
  return resources.map(({ uri, name, description, template }) => ({
    uri,
    name,
    ...(description ? { description } : {}),
    ...(template ? { template } : {}),
  }));
}

/** Bounded like a tool's result. */
async function readResource(server: McpServerRow, input: Record<string, unknown>, context: Context) {
  const { uri } = input;
  if (typeof uri !== "string" || uri === "") return { resources: listResources(server) };
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) throw new AppError("invalid", `"${uri.slice(0, 100)}" isn't a URI.`);
  const { signal } = context;
  const { contents } = await withMcpClient(server, signal, (client) =>
    client.readResource({ uri }, { signal, timeout: TIMEOUT, cacheMode: "bypass" }),
  );
  const content = contents.map((resource) => ({ type: "resource", resource }));
  return toOutput(server.title, { content }, context.keepFile);
}

async function callTool(
  server: McpServerRow,
  { name }: Pick<McpTool, "name">,
  input: Record<string, unknown>,
  { signal, report, sending, keepFile }: Context,
) {
  const options = {
    signal,
    timeout: TIMEOUT,
    resetTimeoutOnProgress: true,
    maxTotalTimeout: TIMEOUT,
    onprogress: report,
  };
  const result = await withMcpClient(server, signal, async (client: Client) => {
    await sending();
    return client.callTool({ name, arguments: input }, options);
  });
  return toOutput(server.title, result, keepFile);
}

/** Effect `outside`, whatever the server claims. */
export function toolsOfServer(server: McpServerRow): readonly Tool[] {
  return allowedTools(server).map((tool) => ({
    name: `${server.id}.${tool.name}`,
    title: tool.title,
    description: tool.description,
    effect: "outside" as const,
    input: tool.inputSchema,
    timeoutMs: TIMEOUT,
    outputLimit: OUTPUT_LIMIT,
    pluginId: server.id,
    announcesSending: true,
    async run(input, context) {
      authorise(context.actor, "chat.use");
      const values = input as Record<string, unknown>;
      return tool.reads ? readResource(server, values, context) : callTool(server, tool, values, context);
    },
  }));
}
