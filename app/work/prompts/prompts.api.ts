import { z } from "zod";
import { decodeText } from "~/core/parse";
import { created, endpoint, endpoints, page, reply } from "~/platform/endpoint/endpoint.shared";
import { ExportedPrompts, importPrompts } from "./import-prompts.service.server";
import { Prompt, PromptId, PromptInput, PromptQuery, PromptUpdate } from "./prompts.schema";
import { createPrompt, deletePrompt, pagePrompts, readPrompt, updatePrompt } from "./prompts.service.server";

export const promptsApi = endpoints("Prompts", [
  endpoint({
    method: "POST",
    path: "/api/prompts/import",
    summary: "Import prompts of this console, Open WebUI or LibreChat",
    description:
      "The body is the exported file: at most 500 prompts, all or none. Only you see them until you share them. " +
      "`present` counts those that you had already, with the same name and text.",
    access: "prompts.write",
    rawBody: ExportedPrompts,
    response: z.object({ prompts: z.array(Prompt), present: z.number().int() }),
    status: 201,
    handle: async ({ actor, raw }) => reply(importPrompts(actor, decodeText(await raw())), { status: 201 }),
  }),
  endpoint({
    method: "GET",
    path: "/api/prompts/{id}",
    summary: "Get a prompt",
    access: "screens.read",
    params: PromptId,
    response: Prompt,
    handle: ({ actor, params }) => readPrompt(actor, params.id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/prompts/{id}",
    summary: "Change a prompt",
    access: "prompts.write",
    params: PromptId,
    body: PromptUpdate,
    response: Prompt,
    handle: ({ actor, params, body: { updatedAt, ...patch } }) =>
      updatePrompt(actor, params.id, patch, updatedAt),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/prompts/{id}",
    summary: "Delete a prompt",
    access: "prompts.write",
    params: PromptId,
    status: 204,
    handle: ({ actor, params }) => deletePrompt(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/prompts",
    summary: "List your prompts and shared ones, by name",
    access: "screens.read",
    query: PromptQuery,
    response: z.array(Prompt),
    handle: async ({ actor, query }) => {
      const { prompts, next } = await pagePrompts(actor, query);
      return page(prompts, next);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/prompts",
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
]);
