import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { McpPromptInput } from "~/work/plugins/mcp/mcp.schema";
import { fillServerPrompt, listServerPrompts } from "~/work/plugins/mcp/prompts.service.server";
import { OfferedPrompt } from "~/work/prompts/prompts.schema";

const route = resource({
  path: "/api/mcp-prompts",
  tag: "Plugins",
  GET: endpoint({
    summary: "List the prompts of the active MCP servers",
    access: "chat.use",
    response: z.array(OfferedPrompt),
    handle: ({ actor }) => listServerPrompts(actor),
  }),
  POST: endpoint({
    summary: "Fill in a prompt of an MCP server",
    description: "Asks the server for the prompt's text with the values of its arguments.",
    access: "chat.use",
    body: McpPromptInput,
    response: z.object({ text: z.string() }),
    handle: ({ actor, body, context }) => fillServerPrompt(actor, body, context.closed),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
