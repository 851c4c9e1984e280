import { PersonaExport } from "~/features/personas/exchange.schema";
import { exportPersona } from "~/features/personas/exchange.service.server";
import { PersonaId } from "~/features/personas/personas.schema";
import { endpoint, resource } from "~/http/resource.server";

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
