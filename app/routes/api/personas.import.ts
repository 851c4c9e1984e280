import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { PersonaExport } from "~/work/personas/exchange.schema";
import { importPersonas } from "~/work/personas/exchange.service.server";
import { Persona } from "~/work/personas/personas.schema";

const route = resource({
  path: "/api/personas/import",
  tag: "Personas",
  POST: endpoint({
    summary: "Import exported personas",
    description:
      "A name that is taken gets a number. Tools that aren't available are left out and named. Only you and admins see the " +
      "personas until you share them.",
    access: "personas.write",
    body: PersonaExport,
    response: z.object({ personas: z.array(Persona), missingTools: z.array(z.string()) }),
    status: 201,
    handle: ({ actor, body }) => reply(importPersonas(actor, body), { status: 201 }),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
