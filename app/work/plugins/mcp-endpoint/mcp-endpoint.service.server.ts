import { z } from "zod";
import { inputSchemaOf, parseToolInput } from "~/ai/tools/tool-input.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { readBranding } from "~/team/branding/branding.service.server";
import { consoleTools, toText } from "./console-tools.server";

/** Supported revisions, newest first. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"];
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

/** JSON-RPC; a notification has no id. */
export const McpMessage = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string().max(200), z.number()]).optional(),
  method: z.string().max(200),
  params: z.record(z.string(), z.unknown()).optional(),
});
type McpMessage = z.infer<typeof McpMessage>;

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

function initialize({ protocolVersion }: Record<string, unknown>) {
  const version = VERSIONS.find((version) => version === protocolVersion);
  return {
    protocolVersion: version ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: "ai-console", title: readBranding().appName, version: "1.0.0" },
  };
}

function listTools() {
  const tools = consoleTools.map(({ name, title, description, input, readOnly }) => ({
    name,
    title,
    description,
    inputSchema: inputSchemaOf({ input }),
    annotations: { readOnlyHint: readOnly },
  }));
  return { tools };
}

const failed = (text: string) => ({ content: [{ type: "text", text }], isError: true });

async function callTool(actor: Actor, params: Record<string, unknown>, signal: AbortSignal) {
  const tool = consoleTools.find(({ name }) => name === params.name);
  if (!tool) throw new RpcError(INVALID_PARAMS, "Tool not found.");
  try {
    const input = await parseToolInput(tool, params.arguments ?? {});
    return { content: [{ type: "text", text: toText(await tool.run(actor, input, signal)) }] };
  } catch (thrown) {
    const error = explainStorageFault(thrown);
    if (error instanceof AppError) return failed(error.message);
    log.error("a tool of the MCP endpoint failed", { tool: tool.name, error });
    return failed("The call failed unexpectedly. See the server log for the reason.");
  }
}

async function answer(
  actor: Actor,
  { method, params = {} }: McpMessage,
  signal: AbortSignal,
): Promise<unknown> {
  switch (method) {
    case "initialize":
      return initialize(params);
    case "ping":
      return {};
    case "tools/list":
      return listTools();
    case "tools/call":
      return callTool(actor, params, signal);
    default:
      throw new RpcError(METHOD_NOT_FOUND, `The method ${method} is not supported.`);
  }
}

export async function answerMcp(actor: Actor, message: McpMessage, signal: AbortSignal): Promise<unknown> {
  const { id } = message;
  if (id === undefined) return undefined;
  try {
    return { jsonrpc: "2.0", id, result: await answer(actor, message, signal) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { jsonrpc: "2.0", id, error: { code: error.code, message: error.message } };
  }
}
