import { ToolInfo, ToolName, ToolPolicyInput } from "~/ai/tools/tools.schema";
import { setToolPolicy } from "~/ai/tools/tools.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/tools/{name}/policy",
  tag: "Tools",
  PUT: endpoint({
    summary: "Set a tool's approval policy",
    description:
      "`always`: calls run. `ask`: chat waits for a person's approval of each call; calls are refused if no one can be asked. `never`: calls are refused and the tool is no longer offered. `default`: a tool that reads always runs; one that writes or goes outside runs in chat if selected, asks once the conversation has content from outside, and is refused if no one can be asked. Applies from the next call on.",
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
