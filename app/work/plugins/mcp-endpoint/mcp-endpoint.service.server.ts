import type { Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { inputSchemaOf, parseToolInput } from "~/ai/tools/tool-input.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { reportOperation } from "~/core/telemetry.server";
import { inTrace, newSpan } from "~/core/trace-context.server";
import { readBranding } from "~/team/branding/branding.service.server";
import { documentTemplates, listResources, readResource } from "./console-documents.server";
import { getPrompt, listPrompts } from "./console-prompts.server";
import { consoleTools, toText } from "./console-tools.server";

/** Revisions with a handshake, newest first; the library adds those without one (2026-07-28). */
const HANDSHAKE_VERSIONS = ["2025-11-25", "2025-06-18"];

/** JSON-RPC; a notification has no id. No batches, which ended with 2025-03-26. */
export const McpMessage = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string().max(200), z.number()]).optional(),
  method: z.string().max(200),
  params: z.record(z.string(), z.unknown()).optional(),
});

// Loaded on demand, as it takes 130 ms.
const library = () => import("@modelcontextprotocol/server");

function listTools() {
  return {
    tools: consoleTools.map(({ name, title, description, input, readOnly }) => ({
      name,
      title,
      description,
      inputSchema: { ...inputSchemaOf({ input }), type: "object" as const },
      annotations: { readOnlyHint: readOnly },
    })),
  };
}

const failed = (text: string) => ({ content: [{ type: "text" as const, text }], isError: true });

async function callTool(actor: Actor, name: string, given: unknown, signal: AbortSignal) {
  const tool = consoleTools.find((one) => one.name === name);
  if (!tool) throw new AppError("not_found", "Tool not found.");
  const started = performance.now();
  const trace = newSpan();
  let errorCode: string | undefined;
  try {
    const input = await parseToolInput(tool, given);
    const output = await inTrace(trace, () => tool.run(actor, input, signal));
    return { content: [{ type: "text" as const, text: toText(output) }] };
  } catch (thrown) {
    const error = explainStorageFault(thrown);
    errorCode = error instanceof AppError ? error.code : "internal";
    if (error instanceof AppError) return failed(error.message);
    log.error("a tool of the MCP endpoint failed", { tool: tool.name, error });
    return failed("The call failed unexpectedly. See the server log for the reason.");
  } finally {
    const durationMs = performance.now() - started;
    reportOperation(() => ({ kind: "tool", tool: tool.name, trace, durationMs, errorCode }));
  }
}

function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new AppError("invalid", "This list has a single page.");
}

/** A server for one message. What it has no handler for, the library refuses as the protocol says. */
async function serverFor(actor: Actor, signal: AbortSignal): Promise<Server> {
  const { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } = await library();
  const server = new Server(
    { name: "ai-console", title: readBranding().appName, version: "1.0.0" },
    {
      capabilities: { tools: {}, prompts: {}, resources: {} },
      supportedProtocolVersions: HANDSHAKE_VERSIONS,
    },
  );
  /** Errors as the protocol has them. An unexpected one goes to the log, not to the client. */
  const answering = async <T>(run: () => T | Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (thrown) {
      const error = explainStorageFault(thrown);
      if (!(error instanceof AppError)) {
        log.error("a call of the MCP endpoint failed", { error });
        throw new ProtocolError(ProtocolErrorCode.InternalError, "The call failed unexpectedly.");
      }
      const isCallers = error.code === "invalid" || error.code === "not_found";
      const code = isCallers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
      throw new ProtocolError(code, error.message);
    }
  };
  server.setRequestHandler("tools/list", ({ params }) =>
    answering(() => {
      refuseCursor(params?.cursor);
      return listTools();
    }),
  );
  server.setRequestHandler("tools/call", ({ params }) =>
    answering(() => callTool(actor, params.name, params.arguments ?? {}, signal)),
  );
  server.setRequestHandler("prompts/list", ({ params }) =>
    answering(() => listPrompts(actor, params?.cursor)),
  );
  server.setRequestHandler("prompts/get", ({ params }) =>
    answering(() => getPrompt(actor, params.name, params.arguments ?? {})),
  );
  server.setRequestHandler("resources/list", ({ params }) =>
    answering(() => listResources(actor, params?.cursor)),
  );
  server.setRequestHandler("resources/templates/list", ({ params }) =>
    answering(() => {
      refuseCursor(params?.cursor);
      return { resourceTemplates: documentTemplates };
    }),
  );
  server.setRequestHandler("resources/read", ({ params: { uri } }) =>
    answering(() => readResource(actor, uri)).catch((error: unknown) => {
      if (error instanceof ProtocolError && error.code === ProtocolErrorCode.InvalidParams)
        throw new ResourceNotFoundError(uri, error.message);
      throw error;
    }),
  );
  return server;
}

/**
 * Answers a message by streamable HTTP without sessions, in each revision that the library knows from 2025-06-18 on.
 * @param options.message parsed JSON
 */
export async function answerMcp(
  actor: Actor,
  {
    message,
    headers,
    origin,
    signal,
  }: { message: unknown; headers: Headers; origin: string; signal: AbortSignal },
): Promise<Response> {
  const { createMcpHandler } = await library();
  // As a stream, since comments keep it open while a persona answers.
  const handler = createMcpHandler(() => serverFor(actor, signal), { responseMode: "sse" });
  const request = new Request(`${origin}/mcp`, { method: "POST", headers, signal });
  return handler.fetch(request, { parsedBody: message });
}
