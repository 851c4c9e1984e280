import { endpoint, resource } from "~/http/resource.server";
import { PersonaExport } from "~/work/personas/exchange.schema";
import { exportPersona } from "~/work/personas/exchange.service.server";
import { PersonaId } from "~/work/personas/personas.schema";

const route = resource({
  path: "/api/personas/{id}/export",
  tag: "Personas",
  GET: endpoint({
    summary: "Export a persona",
    access: "screens.read",
    params: PersonaId,
    response: PersonaExport,
    handle: ({ actor, params }) => exportPersona(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
