import { z } from "zod";
import { Provider, ProviderInput } from "~/features/models/models.schema";
import { createProvider, listProviders } from "~/features/models/providers.service.server";
import { created, endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/providers",
  tag: "Providers",
  GET: endpoint({
    summary: "The providers by their priority",
    access: "providers.manage",
    response: z.array(Provider),
    handle: ({ actor }) => listProviders(actor),
  }),
  POST: endpoint({
    summary: "Set a provider up",
    description: "It is asked for its models at once; one that can't be reached now is kept all the same.",
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
