import { z } from "zod";
import { Provider, ProviderPatch } from "~/ai/models/models.schema";
import { deleteProvider, readProvider, updateProvider } from "~/ai/models/providers.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";

const params = z.object({ id: z.string() });

const route = resource({
  path: "/api/providers/{id}",
  tag: "Providers",
  GET: endpoint({
    summary: "Get a provider",
    access: "providers.manage",
    params,
    response: Provider,
    handle: ({ actor, params }) => readProvider(actor, params.id),
  }),
  PATCH: endpoint({
    summary: "Change a provider",
    description: "Changes only the fields sent; null restores a setting's default.",
    access: "providers.manage",
    params,
    body: ProviderPatch,
    response: Provider,
    handle: ({ actor, params, body }) => updateProvider(actor, params.id, body),
  }),
  DELETE: endpoint({
    summary: "Remove a provider",
    access: "providers.manage",
    params,
    status: 204,
    handle: ({ actor, params }) => {
      deleteProvider(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
