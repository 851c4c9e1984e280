import { z } from "zod";
import { created, endpoint, paged, resource } from "~/http/resource.server";
import { Persona, PersonaInput, PersonaQuery } from "~/work/personas/personas.schema";
import { createPersona, pagePersonas } from "~/work/personas/personas.service.server";

const route = resource({
  path: "/api/personas",
  tag: "Personas",
  GET: endpoint({
    summary: "List personas, newest first",
    access: "screens.read",
    query: PersonaQuery,
    response: z.array(Persona),
    handle: ({ actor, query, request }) => {
      const { personas, next } = pagePersonas(actor, query);
      return paged(request, personas, next);
    },
  }),
  POST: endpoint({
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
});
const loader = route.loader;
const action = route.action;

export { action, loader };
