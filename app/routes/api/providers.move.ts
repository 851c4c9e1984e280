import { z } from "zod";
import { ProviderMove } from "~/ai/models/model-settings.schema";
import { Provider } from "~/ai/models/models.schema";
import { moveProvider } from "~/ai/models/providers.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/providers/{id}/move",
  tag: "Providers",
  POST: endpoint({
    summary: "Move a provider in the priority order",
    description: "Moves one position up or down and returns the providers in their new order.",
    access: "providers.manage",
    params: z.object({ id: z.string() }),
    body: ProviderMove,
    response: z.array(Provider),
    handle: ({ actor, params, body }) => moveProvider(actor, params.id, body.direction),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
