import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { Guardrails, GuardrailsInput, GuardrailTest, GuardrailTestInput } from "./guardrails.schema";
import { readGuardrails, saveGuardrails, testGuardrails } from "./guardrails.service.server";

export const guardrailsApi = endpoints("Guardrails", [
  endpoint({
    method: "GET",
    path: "/api/guardrails",
    summary: "Get the guardrails of model calls",
    access: "settings.manage",
    response: Guardrails,
    handle: ({ actor }) => readGuardrails(actor),
  }),
  endpoint({
    method: "PUT",
    path: "/api/guardrails",
    summary: "Change the guardrails of model calls",
    description:
      "Changes only the fields sent. Naming a service is consent to send it the texts of all calls of models.",
    access: "settings.manage",
    body: GuardrailsInput,
    response: Guardrails,
    handle: ({ actor, body }) => saveGuardrails(actor, body),
  }),
  endpoint({
    method: "POST",
    path: "/api/guardrails/test",
    summary: "Try a text with the guardrails",
    description: "Says what a model would receive. Nothing is counted; the moderator is asked.",
    access: "settings.manage",
    body: GuardrailTestInput,
    response: GuardrailTest,
    handle: ({ actor, body, signal }) => testGuardrails(actor, body.text, signal),
  }),
]);
