import { endpoint, reply, resource } from "~/http/resource.server";
import { Persona, PersonaId, PersonaUpdate } from "~/work/personas/personas.schema";
import { readPersona, updatePersona } from "~/work/personas/personas.service.server";
import { removePersona } from "~/work/workflows/persona-uses.service.server";

const route = resource({
  path: "/api/personas/{id}",
  tag: "Personas",
  GET: endpoint({
    summary: "Get a persona",
    access: "screens.read",
    params: PersonaId,
    response: Persona,
    handle: ({ actor, params }) => readPersona(actor, params.id),
  }),
  PATCH: endpoint({
    summary: "Change a persona",
    access: "personas.write",
    params: PersonaId,
    body: PersonaUpdate,
    response: Persona,
    handle: ({ actor, params, body: { updatedAt, ...patch } }) =>
      updatePersona(actor, params.id, patch, updatedAt),
  }),
  DELETE: endpoint({
    summary: "Delete a persona",
    description: "409 while a workflow uses it. Conversations keep what they had.",
    access: "personas.write",
    params: PersonaId,
    status: 204,
    handle: ({ actor, params }) => {
      removePersona(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
