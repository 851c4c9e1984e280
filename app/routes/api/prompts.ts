import { z } from "zod";
import { created, endpoint, paged, resource } from "~/http/resource.server";
import { Prompt, PromptInput, PromptQuery } from "~/work/prompts/prompts.schema";
import { createPrompt, pagePrompts } from "~/work/prompts/prompts.service.server";

const route = resource({
  path: "/api/prompts",
  tag: "Prompts",
  GET: endpoint({
    summary: "List your prompts and shared ones, by name",
    access: "screens.read",
    query: PromptQuery,
    response: z.array(Prompt),
    handle: ({ actor, query, request }) => {
      const { prompts, next } = pagePrompts(actor, query);
      return paged(request, prompts, next);
    },
  }),
  POST: endpoint({
    summary: "Create a prompt",
    access: "prompts.write",
    body: PromptInput,
    response: Prompt,
    status: 201,
    handle: ({ actor, body }) => {
      const prompt = createPrompt(actor, body);
      return created(prompt, `/api/prompts/${prompt.id}`);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
