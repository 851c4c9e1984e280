import { z } from "zod";
import { decodeText } from "~/core/parse";
import { created, endpoint, endpoints, events, page, reply } from "~/platform/endpoint/endpoint.shared";
import { ExportedPersonas, exportPersona, importPersonaText, PersonaExport } from "./exchange.service.server";
import {
  Persona,
  PersonaId,
  PersonaInput,
  PersonaQuery,
  PersonaTrial,
  PersonaUpdate,
} from "./personas.schema";
import {
  createPersona,
  deletePersona,
  pagePersonas,
  readPersona,
  updatePersona,
} from "./personas.service.server";
import { streamTrial } from "./try-persona.service.server";

export const personasApi = endpoints("Personas", [
  endpoint({
    method: "GET",
    path: "/api/personas/{id}/export",
    summary: "Export a persona",
    access: "screens.read",
    params: PersonaId,
    response: PersonaExport,
    handle: ({ actor, params }) => exportPersona(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/personas/import",
    summary: "Import personas of this console, Open WebUI or LibreChat",
    description:
      "The body is the exported file: personas of this console, models of Open WebUI's workspace, or presets and agents " +
      "of LibreChat, at most 100. A name that is taken gets a number. Tools that aren't available are left out and named. Only you and admins see the " +
      "personas until you share them.",
    access: "personas.write",
    rawBody: ExportedPersonas,
    response: z.object({ personas: z.array(Persona), missingTools: z.array(z.string()) }),
    status: 201,
    handle: async ({ actor, raw }) =>
      reply(importPersonaText(actor, decodeText(await raw())), { status: 201 }),
  }),
  endpoint({
    method: "GET",
    path: "/api/personas/{id}",
    summary: "Get a persona",
    access: "screens.read",
    params: PersonaId,
    response: Persona,
    handle: ({ actor, params }) => readPersona(actor, params.id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/personas/{id}",
    summary: "Change a persona",
    access: "personas.write",
    params: PersonaId,
    body: PersonaUpdate,
    response: Persona,
    handle: ({ actor, params, body: { updatedAt, ...patch } }) =>
      updatePersona(actor, params.id, patch, updatedAt),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/personas/{id}",
    summary: "Delete a persona",
    description: "409 while a workflow uses it. Conversations keep what they had.",
    access: "personas.write",
    params: PersonaId,
    status: 204,
    handle: ({ actor, params }) => deletePersona(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/personas/try",
    summary: "Ask an unsaved persona one question, and stream the answer",
    description:
      "Events of the chat's stream: `start` with the model, `text-delta`, `error`, `finish`. No tools are called, and " +
      "nothing but the usage is stored.",
    access: "personas.write",
    body: PersonaTrial,
    produces: "text/event-stream",
    handle: ({ actor, body }) =>
      events((sink) => {
        const controller = new AbortController();
        void streamTrial(actor, body, controller.signal, (chunk) => sink.send(JSON.stringify(chunk))).then(
          () => {
            sink.send("[DONE]");
            sink.close();
          },
        );
        return () => controller.abort();
      }),
  }),
  endpoint({
    method: "GET",
    path: "/api/personas",
    summary: "List personas, newest first",
    access: "screens.read",
    query: PersonaQuery,
    response: z.array(Persona),
    handle: async ({ actor, query }) => {
      const { personas, next } = await pagePersonas(actor, query);
      return page(personas, next);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/personas",
    summary: "Create a persona",
    access: "personas.write",
    body: PersonaInput,
    response: Persona,
    status: 201,
    handle: ({ actor, body }) => {
      const persona = createPersona(actor, body);
      return created(persona, `/api/personas/${persona.id}`);
    },
  }),
]);
