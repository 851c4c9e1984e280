import { createHash } from "node:crypto";
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { explainUncheckable } from "~/ai/tools/tool-input.service.server";
import { yieldToEventLoop } from "~/core/background.server";
import { AppError } from "~/core/errors";
import { clip, wellFormedValue } from "~/core/well-formed";
import { formatCount } from "~/ui/format";
import type { McpPrompt, McpResource, McpServerRow, McpTarget, McpTool } from "../plugins.repo.server";
import { withMcpClient } from "./mcp-client.server";
import { escapeHidden, visibleSchema, visibleText } from "./visible-text";

/** In ms. */
const TIMEOUT = 30_000;
const MAX_TOOLS = 1000;
/** Tools read in one turn of the event loop. */
const BATCH = 20;
const MAX_PROMPTS = 100;
const MAX_ARGUMENTS = 20;
const MAX_RESOURCES = 200;
// Lengths are in characters.
const MAX_DESCRIPTION = 4000;
const MAX_PROMPT_DESCRIPTION = 500;
const MAX_NAME = 128;
const MAX_SCHEMA = 50_000;
const MAX_URI = 1000;

export type ServerDescription = Pick<McpServerRow, "tools" | "prompts" | "resources" | "server">;

/** Sorts keys, so that reordering isn't a change. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sortKeys(one)]));
}

function hashOf({ name, description, inputSchema }: Omit<McpTool, "hash" | "title">): string {
  return createHash("sha256")
    .update(JSON.stringify(sortKeys([name, description, inputSchema])))
    .digest("base64url");
}

interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

/** Of a name that people or models couldn't tell from another one. */
function explainName(name: string): string | undefined {
  if (name.trim() === "") return "It has no name.";
  if (name.length > MAX_NAME) return `Its name has more than ${MAX_NAME} characters.`;
  const isPlain = escapeHidden(name) === name && name.trim() === name;
  return isPlain ? undefined : "Its name contains invisible characters or begins or ends with a space.";
}

function toTool({ name, title, description = "", inputSchema }: ListedTool): McpTool {
  const schema = visibleSchema(wellFormedValue(inputSchema)) as Record<string, unknown>;
  const size = JSON.stringify(schema).length;
  const unsupported =
    explainName(name) ??
    (size > MAX_SCHEMA
      ? `Its input schema has ${formatCount(size)} characters. At most ${formatCount(MAX_SCHEMA)} are supported.`
      : undefined);
  const unchecked = unsupported === undefined ? explainUncheckable(schema) : undefined;
  const shown = clip(escapeHidden(name), MAX_NAME);
  const tool = {
    name: shown,
    title: visibleText(title ?? shown, 100) || shown,
    description: visibleText(description, MAX_DESCRIPTION),
    inputSchema: size > MAX_SCHEMA ? {} : schema,
  };
  return {
    ...tool,
    hash: hashOf(tool),
    ...(unsupported !== undefined && { unsupported }),
    ...(unchecked !== undefined && { unchecked }),
  };
}

const READ_RESOURCE: ListedTool = {
  name: "read_resource",
  title: "Read a resource",
  description:
    "Reads a resource of this server by its URI. Without a URI it lists the URIs and names of the resources.",
  inputSchema: {
    type: "object",
    properties: { uri: { type: "string", maxLength: MAX_URI, description: "URI of the resource" } },
    additionalProperties: false,
  },
};

/** Tools that can't be used are listed too, with the reason. */
async function selectTools(
  tools: readonly ListedTool[],
  title: string,
  hasResources: boolean,
): Promise<McpTool[]> {
  if (tools.length > MAX_TOOLS)
    throw new AppError(
      "too_large",
      `${title} lists ${tools.length} tools. At most ${MAX_TOOLS} are supported. Have the server offer fewer.`,
    );
  const names = new Set<string>();
  const listed: McpTool[] = [];
  for (const one of tools) {
    const tool = toTool(one);
    const isTaken = tool.unsupported === undefined && names.has(tool.name);
    listed.push(
      isTaken ? { ...tool, unsupported: "An earlier tool of this server has the same name." } : tool,
    );
    if (tool.unsupported === undefined) names.add(tool.name);
    if (listed.length % BATCH === 0) await yieldToEventLoop();
  }
  if (hasResources && !names.has(READ_RESOURCE.name)) listed.push({ ...toTool(READ_RESOURCE), reads: true });
  return listed;
}

async function listPrompts(client: Client, options: RequestOptions): Promise<McpPrompt[]> {
  if (!client.getServerCapabilities()?.prompts) return [];
  const { prompts } = await client.listPrompts(undefined, { ...options, cacheMode: "bypass" });
  return prompts
    .filter(({ name }) => name.length <= MAX_NAME && /^\P{Cc}+$/u.test(name))
    .slice(0, MAX_PROMPTS)
    .map(({ name, title, description = "", arguments: args = [] }) => ({
      name: name.toWellFormed(),
      title: visibleText(title ?? name, 100),
      description: visibleText(description, MAX_PROMPT_DESCRIPTION),
      arguments: args.slice(0, MAX_ARGUMENTS).map((argument) => ({
        name: clip(argument.name.toWellFormed(), 60),
        description: visibleText(argument.description ?? "", 200),
        required: argument.required ?? false,
      })),
    }));
}

interface ListedResource {
  uri: string;
  name: string;
  description?: string | undefined;
  mimeType?: string | undefined;
}

const toResource =
  (template: boolean) =>
  ({ uri, name, description = "", mimeType = "" }: ListedResource): McpResource => ({
    uri: uri.toWellFormed(),
    name: visibleText(name, 100),
    description: visibleText(description, 300),
    mediaType: visibleText(mimeType, 60),
    template,
  });

async function listResources(client: Client, options: RequestOptions): Promise<McpResource[]> {
  if (!client.getServerCapabilities()?.resources) return [];
  const fresh = { ...options, cacheMode: "bypass" as const };
  const { resources } = await client.listResources(undefined, fresh);
  // Some servers have resources without templates.
  const templates = await client.listResourceTemplates(undefined, fresh).catch((error: unknown) => {
    options.signal?.throwIfAborted();
    if (typeof (error as { code?: unknown }).code !== "number") throw error;
    return { resourceTemplates: [] };
  });
  return [
    ...resources.map(toResource(false)),
    ...templates.resourceTemplates.map(({ uriTemplate, ...rest }) =>
      toResource(true)({ ...rest, uri: uriTemplate }),
    ),
  ]
    .filter(({ uri }) => uri.length <= MAX_URI && /^[a-z][a-z0-9+.-]*:\P{Cc}*$/iu.test(uri))
    .slice(0, MAX_RESOURCES);
}

/** Lists a server's tools, prompts and resources within the limits. @throws AppError if unreachable or too large */
export function describeServer(target: McpTarget, signal: AbortSignal): Promise<ServerDescription> {
  const options = { signal, timeout: TIMEOUT };
  const describe = async (client: Client) => {
    const hasTools = client.getServerCapabilities()?.tools !== undefined;
    const { tools } = hasTools
      ? await client.listTools(undefined, { ...options, cacheMode: "refresh" })
      : { tools: [] };
    const resources = await listResources(client, options);
    const info = client.getServerVersion();
    return {
      tools: await selectTools(tools as ListedTool[], target.title, resources.length > 0),
      prompts: await listPrompts(client, options),
      resources,
      server: {
        name: visibleText(info?.name ?? "", 100),
        version: visibleText(info?.version ?? "", 40),
        protocol: client.getNegotiatedProtocolVersion() ?? "",
      },
    };
  };
  // Some servers list tools that ask only where they may.
  return withMcpClient(target, signal, describe, true);
}
