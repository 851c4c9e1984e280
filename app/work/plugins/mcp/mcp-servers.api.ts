import { z } from "zod";
import { created, endpoint, endpoints, type Program, redirect } from "~/platform/endpoint/endpoint.shared";
import { may } from "~/platform/rights/authorization.server";
import { readBranding } from "~/team/branding/branding.service.server";
import { OfferedPrompt } from "~/work/prompts/prompts.schema";
import { answerMcp, McpMessage } from "../mcp-endpoint/mcp-endpoint.service.server";
import { PluginId } from "../plugins.schema";
import {
  McpAccountsInput,
  McpDecisionsInput,
  McpOwnAccount,
  McpPromptInput,
  McpServer,
  McpServerInput,
} from "./mcp.schema";
import { addMcpServer, decideTools, readMcpServer, refreshMcpServer } from "./mcp-servers.service.server";
import { ClientDocument, clientDocument } from "./oauth/client-metadata.schema";
import {
  chooseAccounts,
  disconnectAccount,
  finishConnect,
  listOwnAccounts,
  startConnect,
} from "./oauth/connect.service.server";
import { ACCOUNTS_PAGE } from "./oauth/credentials.server";
import { fillServerPrompt, listServerPrompts } from "./prompts.service.server";

export const mcpServersApi = endpoints("Plugins", [
  endpoint({
    method: "GET",
    path: "/api/mcp-accounts",
    summary: "List your own accounts at MCP servers",
    description: "Of the servers at which each person connects their own account.",
    access: "chat.use",
    response: z.array(McpOwnAccount),
    handle: ({ actor }) => listOwnAccounts(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/mcp-accounts/{id}",
    summary: "Start the sign-in with your own account at an MCP server",
    description: "Open the returned address in the browser that is signed in here, within 15 minutes.",
    access: "chat.use",
    params: PluginId,
    response: z.object({ url: z.string() }),
    handle: ({ actor, params, origin }) => startConnect(actor, params.id, origin),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/mcp-accounts/{id}",
    summary: "Disconnect your own account at an MCP server",
    description: "Deletes the tokens, and revokes them if the authorization server supports it.",
    access: "chat.use",
    params: PluginId,
    status: 204,
    handle: async ({ actor, params }) => void (await disconnectAccount(actor, params.id)),
  }),
  endpoint({
    method: "GET",
    path: "/api/mcp-oauth/callback",
    summary: "Receive an MCP server's sign-in",
    access: "chat.use",
    status: 303,
    handle: async ({ actor, search, signal }) => {
      const mayManage = may(actor, "plugins.manage");
      try {
        const { id, title, isOwn } = await finishConnect(actor, search, signal);
        const tools = `/extensions?tab=installed&dialog=tools&id=${id}`;
        return redirect(isOwn ? ACCOUNTS_PAGE : tools, { kind: "success", title: `${title} connected` });
      } catch (error) {
        const to = mayManage ? "/extensions?tab=installed" : ACCOUNTS_PAGE;
        return redirect(to, { title: "Connection Failed", error });
      }
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/mcp-oauth/client",
    summary: "Get the console's OAuth client metadata, for authorization servers of MCP servers",
    access: "public",
    response: ClientDocument,
    handle: ({ origin }) => clientDocument(readBranding().appName, origin),
  }),
  endpoint({
    method: "GET",
    path: "/api/mcp-prompts",
    summary: "List the prompts of the active MCP servers",
    access: "chat.use",
    response: z.array(OfferedPrompt),
    handle: ({ actor }) => listServerPrompts(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/mcp-prompts",
    summary: "Fill in a prompt of an MCP server",
    description: "Asks the server for the prompt's text with the values of its arguments.",
    access: "chat.use",
    body: McpPromptInput,
    response: z.object({ text: z.string() }),
    handle: ({ actor, body, signal }) => fillServerPrompt(actor, body, signal),
  }),
  endpoint({
    method: "POST",
    path: "/api/mcp-servers/{id}/account",
    summary: "Start the sign-in at an MCP server that requires OAuth",
    description: "Open the returned address in the browser that is signed in here, within 15 minutes.",
    access: "plugins.manage",
    params: PluginId,
    response: z.object({ url: z.string() }),
    handle: ({ actor, params, origin }) => startConnect(actor, params.id, origin),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/mcp-servers/{id}/account",
    summary: "Disconnect an MCP server from its account",
    description: "Deletes the tokens, and revokes them if the authorization server supports it.",
    access: "plugins.manage",
    params: PluginId,
    response: McpServer,
    handle: async ({ actor, params }) => {
      await disconnectAccount(actor, params.id);
      return readMcpServer(actor, params.id);
    },
  }),
  endpoint({
    method: "PUT",
    path: "/api/mcp-servers/{id}/accounts",
    summary: "Choose whose account an MCP server's calls use",
    description: "A change deletes the tokens of the accounts before it.",
    access: "plugins.manage",
    params: PluginId,
    body: McpAccountsInput,
    response: McpServer,
    handle: ({ actor, params, body }) => chooseAccounts(actor, params.id, body),
  }),
  endpoint({
    method: "GET",
    path: "/api/mcp-servers/{id}",
    summary: "Get an MCP server with its tools",
    access: "plugins.manage",
    params: PluginId,
    response: McpServer,
    handle: ({ actor, params }) => readMcpServer(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/mcp-servers/{id}/refresh",
    summary: "Check an MCP server's tools now",
    access: "plugins.manage",
    params: PluginId,
    response: McpServer,
    handle: ({ actor, params, signal }) => refreshMcpServer(actor, params.id, signal),
  }),
  endpoint({
    method: "PUT",
    path: "/api/mcp-servers/{id}/tools",
    summary: "Choose the tools of an MCP server that can be called",
    description:
      "Each is named with its hash, so that a tool that changed meanwhile isn't allowed. Tools that aren't named are denied.",
    access: "plugins.manage",
    params: PluginId,
    body: McpDecisionsInput,
    response: McpServer,
    handle: ({ actor, params, body }) => decideTools(actor, params.id, body),
  }),
  endpoint({
    method: "POST",
    path: "/api/mcp-servers",
    summary: "Add and install an MCP server",
    description:
      "Connects to it by streamable HTTP and lists its tools. None can be called until they are allowed with `PUT /api/mcp-servers/{id}/tools`.",
    access: "plugins.manage",
    body: McpServerInput,
    response: McpServer,
    status: 201,
    handle: async ({ actor, body, signal }) => {
      const server = await addMcpServer(actor, body, signal);
      return created(server, `/api/mcp-servers/${server.id}`);
    },
  }),
  endpoint({
    method: "POST",
    path: "/mcp",
    summary: "Send a Model Context Protocol message",
    description:
      "Streamable HTTP without sessions, for MCP clients of the revisions 2025-06-18, 2025-11-25 and 2026-07-28: tools that search documents, ask a persona, run a workflow, list and read conversations; the prompt library; documents as resources. Requires an API token, whose scopes and owner's role decide what works. The response is a stream of server-sent events, or JSON for a refusal.",
    access: "screens.read",
    body: McpMessage,
    response: z.record(z.string(), z.unknown()),
    produces: "text/event-stream",
    otherStatuses: [202],
    refusals: [406],
    handle: ({ actor, body, headers, origin, signal }) =>
      answerMcp(actor, { message: body, headers, origin, signal }),
  }),
]);

const JsonRpcError = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).nullable(),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
});

export const mcpPrograms: readonly Program[] = [
  { under: "/mcp", callers: "tokens", ownRefusal: JsonRpcError },
];
