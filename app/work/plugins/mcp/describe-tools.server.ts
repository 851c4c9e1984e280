import { createHash } from "node:crypto";
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { AppError } from "~/core/errors";
import { clip, wellFormedValue } from "~/core/well-formed";
import type { McpPrompt, McpResource, McpServerRow, McpTarget, McpTool } from "../plugins.repo.server";
import { withMcpClient } from "./mcp-client.server";
import { visibleSchema, visibleText } from "./visible-text";

/** In ms. */
const TIMEOUT = 30_000;
const MAX_TOOLS = 200;
const MAX_PROMPTS = 100;
const MAX_ARGUMENTS = 20;
const MAX_RESOURCES = 200;
// Lengths in characters.
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

function toTool({ name, title, description = "", inputSchema }: ListedTool): McpTool | undefined {
  if (!/^[A-Za-z0-9_./-]{1,128}$/.test(name)) return undefined;
  const schema = visibleSchema(wellFormedValue(inputSchema)) as Record<string, unknown>;
  if (JSON.stringify(schema).length > MAX_SCHEMA) return undefined;
  const tool = {
    name,
    title: visibleText(title ?? name, 100),
    description: visibleText(description, MAX_DESCRIPTION),
    inputSchema: schema,
  };
  return { ...tool, hash: hashOf(tool) };
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

function selectTools(tools: readonly ListedTool[], title: string, hasResources: boolean): McpTool[] {
  if (tools.length > MAX_TOOLS)
    throw new AppError(
      "too_large",
      `${title} lists ${tools.length} tools. At most ${MAX_TOOLS} are supported. Have the server offer fewer.`,
    );
  const selected = new Map<string, McpTool>();
  for (const tool of tools.map(toTool)) if (tool && !selected.has(tool.name)) selected.set(tool.name, tool);
  const reader = toTool(READ_RESOURCE);
  if (hasResources && reader && !selected.has(reader.name))
    selected.set(reader.name, { ...reader, reads: true });
  return [...selected.values()];
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
  return withMcpClient(target, signal, async (client) => {
    const hasTools = client.getServerCapabilities()?.tools !== undefined;
    const { tools } = hasTools
      ? await client.listTools(undefined, { ...options, cacheMode: "refresh" })
      : { tools: [] };
    const resources = await listResources(client, options);
    const info = client.getServerVersion();
    return {
      tools: selectTools(tools as ListedTool[], target.title, resources.length > 0),
      prompts: await listPrompts(client, options),
      resources,
      server: {
        name: visibleText(info?.name ?? "", 100),
        version: visibleText(info?.version ?? "", 40),
        protocol: client.getNegotiatedProtocolVersion() ?? "",
      },
    };
  });
}
