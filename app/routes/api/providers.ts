import { z } from "zod";
import { Provider, ProviderInput } from "~/ai/models/models.schema";
import { createProvider, listProviders } from "~/ai/models/providers.service.server";
import { created, endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/providers",
  tag: "Providers",
  GET: endpoint({
    summary: "List providers by priority",
    access: "providers.manage",
    response: z.array(Provider),
    handle: ({ actor }) => listProviders(actor),
  }),
  POST: endpoint({
    summary: "Add a provider",
    description: "Its models are requested at once. It is kept even if it can't be reached.",
    access: "providers.manage",
    body: ProviderInput,
    response: Provider,
    status: 201,
    handle: async ({ actor, body }) => {
      const provider = await createProvider(actor, body);
      return created(provider, `/api/providers/${provider.id}`);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
