import { endpoint, resource } from "~/http/resource.server";
import { redirectWithFailure, redirectWithToast } from "~/http/toast.server";
import { finishConnect } from "~/work/plugins/mcp/oauth/connect.service.server";

const route = resource({
  path: "/api/mcp-oauth/callback",
  tag: "Plugins",
  GET: endpoint({
    summary: "Receive an MCP server's sign-in",
    access: "plugins.manage",
    status: 303,
    handle: async ({ actor, request, context }) => {
      try {
        const answer = new URL(request.url).searchParams;
        const { id, title } = await finishConnect(actor, answer, context.closed);
        const to = `/extensions?tab=installed&dialog=tools&id=${id}`;
        return redirectWithToast(to, { kind: "success", title: `${title} connected` }, context);
      } catch (error) {
        return redirectWithFailure("/extensions?tab=installed", "Connection Failed", error, context);
      }
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
