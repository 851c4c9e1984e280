import { endpoint, resource } from "~/http/resource.server";
import { readBranding } from "~/team/branding/branding.service.server";
import { ClientDocument } from "~/work/plugins/mcp/oauth/client-metadata.schema";
import { clientDocument } from "~/work/plugins/mcp/oauth/client-metadata.shared";

const route = resource({
  path: "/api/mcp-oauth/client",
  tag: "Plugins",
  GET: endpoint({
    summary: "Get the console's OAuth client metadata, for authorization servers of MCP servers",
    access: "public",
    response: ClientDocument,
    handle: ({ context }) => clientDocument(readBranding().appName, context.origin),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
