import { z } from "zod";
import { endpoint, endpoints, file, image } from "~/platform/endpoint/endpoint.shared";
import { openResultFile } from "./files/result-files.service.server";
import { isShownImage } from "./files/result-files.shared";
import { ToolInfo, ToolName, ToolPolicyInput } from "./tools.schema";
import { listTools, setToolPolicy } from "./tools.service.server";

export const toolsApi = endpoints("Tools", [
  endpoint({
    method: "GET",
    path: "/api/tool-files/{id}",
    summary: "Get a file of a tool's result",
    description: "An image with the media type of its bytes; any other file as a download.",
    access: "screens.read",
    params: z.object({ id: z.string().max(100) }),
    produces: "application/octet-stream",
    handle: ({ actor, params }) => {
      const { sha: tag, ...content } = openResultFile(actor, params.id);
      if (isShownImage(content)) return image({ ...content, tag });
      return file({ ...content, pieces: [content.bytes] });
    },
  }),
  endpoint({
    method: "PUT",
    path: "/api/tools/{name}/policy",
    summary: "Set a tool's approval policy",
    description:
      "`always`: calls run. `ask`: chat waits for a person's approval of each call; calls are refused if no one can be asked. `never`: calls are refused and the tool is no longer offered. `default`: a tool that reads always runs; one that writes or goes outside runs in chat if selected, asks once the conversation has content from outside, and is refused if no one can be asked. Applies from the next call on.",
    access: "settings.manage",
    params: ToolName,
    body: ToolPolicyInput,
    response: ToolInfo,
    handle: ({ actor, params, body }) => setToolPolicy(actor, params.name, body.policy),
  }),
  endpoint({
    method: "GET",
    path: "/api/tools",
    summary: "List tools with their approval policies",
    access: "screens.read",
    response: ToolInfo.array(),
    handle: ({ actor }) => listTools(actor),
  }),
]);
