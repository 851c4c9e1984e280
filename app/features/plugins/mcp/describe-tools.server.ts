import { createHash } from "node:crypto";
import { AppError } from "~/core/errors";
import { clip, wellFormedValue } from "~/core/well-formed";
import type { McpTool } from "../plugins.repo.server";
import { withMcpClient } from "./mcp-client.server";
import type { McpTarget } from "./mcp-target";

const TIMEOUT = 30_000;
const MOST_TOOLS = 200;
const DESCRIPTION = 4000;
const SCHEMA = 50_000;

export interface Described {
  tools: McpTool[];
  server: { name: string; version: string; protocol: string };
}

/** Keys in one order, so that a server that reorders them hasn't changed its tool. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, canonical(one)]));
}

function hashOf({ name, description, inputSchema }: Omit<McpTool, "hash" | "title">): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical([name, description, inputSchema])))
    .digest("base64url");
}

interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

/** A tool as it is kept; undefined for one that is beyond the bounds. */
function toTool({ name, title, description = "", inputSchema }: ListedTool): McpTool | undefined {
  if (!/^[A-Za-z0-9_./-]{1,128}$/.test(name)) return undefined;
  const schema = wellFormedValue(inputSchema);
  if (JSON.stringify(schema).length > SCHEMA) return undefined;
  const tool = {
    name,
    title: clip((title ?? name).toWellFormed(), 100),
    description: clip(description.toWellFormed(), DESCRIPTION),
    inputSchema: schema,
  };
  return { ...tool, hash: hashOf(tool) };
}

/** Asks a server what it offers. @throws AppError */
export function describeServer(target: McpTarget, signal: AbortSignal): Promise<Described> {
  return withMcpClient(target, { signal, timeoutMs: TIMEOUT }, async (client) => {
    const { tools } = await client.listTools(undefined, { signal, timeout: TIMEOUT });
    if (tools.length > MOST_TOOLS)
      throw new AppError(
        "too_large",
        `${target.title} lists ${tools.length} tools. At most ${MOST_TOOLS} are supported.`,
      );
    const info = client.getServerVersion();
    const names = new Set<string>();
    const kept = tools.flatMap((listed) => {
      const tool = toTool(listed as ListedTool);
      if (!tool || names.has(tool.name)) return [];
      names.add(tool.name);
      return [tool];
    });
    return {
      tools: kept,
      server: {
        name: clip((info?.name ?? "").toWellFormed(), 100),
        version: clip((info?.version ?? "").toWellFormed(), 40),
        protocol: client.getNegotiatedProtocolVersion() ?? "",
      },
    };
  });
}
