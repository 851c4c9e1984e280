import { ToolInfo, ToolName, ToolPolicyInput } from "~/features/tools/tools.schema";
import { setToolPolicy } from "~/features/tools/tools.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/tools/{name}/policy",
  tag: "Tools",
  PUT: endpoint({
    summary: "Decide whether calls of a tool run",
    description:
      "`always`: calls run. `ask`: they run where a person chose the tool for the work or approves the call, and are refused where nobody can be asked. `never`: they are refused, and the tool is no longer offered. It holds from the next call on.",
    access: "settings.manage",
    params: ToolName,
    body: ToolPolicyInput,
    response: ToolInfo,
    handle: ({ actor, params, body }) => setToolPolicy(actor, params.name, body.policy),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
