import { z } from "zod";
import { Provider } from "~/ai/models/models.schema";
import { refreshModels } from "~/ai/models/providers.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/providers/{id}/refresh",
  tag: "Providers",
  POST: endpoint({
    summary: "Refresh a provider's model list",
    access: "providers.manage",
    params: z.object({ id: z.string() }),
    response: Provider,
    handle: ({ actor, params }) => refreshModels(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
