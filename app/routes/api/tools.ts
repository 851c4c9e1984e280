import { ToolInfo } from "~/ai/tools/tools.schema";
import { listTools } from "~/ai/tools/tools.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/tools",
  tag: "Tools",
  GET: endpoint({
    summary: "List tools with their approval policies",
    access: "screens.read",
    response: ToolInfo.array(),
    handle: ({ actor }) => listTools(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
