import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { answerMcp, McpMessage } from "~/work/plugins/mcp-endpoint/mcp-endpoint.service.server";

const route = resource({
  path: "/mcp",
  tag: "Plugins",
  POST: endpoint({
    summary: "Send a Model Context Protocol message",
    description:
      "Streamable HTTP without sessions, for MCP clients: search documents, ask a persona, run a workflow, list and read conversations. Requires an API token, whose scopes and owner's role decide which tools work.",
    access: "screens.read",
    body: McpMessage,
    response: z.record(z.string(), z.unknown()),
    handle: async ({ actor, body, context }) => {
      const answer = await answerMcp(actor, body, context.closed);
      return answer === undefined ? new Response(null, { status: 202 }) : reply(answer);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
