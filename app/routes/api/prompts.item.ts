import { endpoint, reply, resource } from "~/http/resource.server";
import { Prompt, PromptId, PromptUpdate } from "~/work/prompts/prompts.schema";
import { deletePrompt, readPrompt, updatePrompt } from "~/work/prompts/prompts.service.server";

const route = resource({
  path: "/api/prompts/{id}",
  tag: "Prompts",
  GET: endpoint({
    summary: "Get a prompt",
    access: "screens.read",
    params: PromptId,
    response: Prompt,
    handle: ({ actor, params }) => readPrompt(actor, params.id),
  }),
  PATCH: endpoint({
    summary: "Change a prompt",
    access: "prompts.write",
    params: PromptId,
    body: PromptUpdate,
    response: Prompt,
    handle: ({ actor, params, body: { updatedAt, ...patch } }) =>
      updatePrompt(actor, params.id, patch, updatedAt),
  }),
  DELETE: endpoint({
    summary: "Delete a prompt",
    access: "prompts.write",
    params: PromptId,
    status: 204,
    handle: ({ actor, params }) => {
      deletePrompt(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
