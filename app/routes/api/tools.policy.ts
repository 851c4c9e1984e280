import { ToolInfo, ToolName, ToolPolicyInput } from "~/features/tools/tools.schema";
import { setToolPolicy } from "~/features/tools/tools.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/tools/{name}/policy",
  tag: "Tools",
  PUT: endpoint({
    summary: "Set a tool's approval policy",
    description:
      "`always`: calls run. `ask`: calls run if a person selected the tool or approves the call, and are refused if no one can be asked. `never`: calls are refused and the tool is no longer offered. Applies from the next call on.",
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
