import { z } from "zod";
import { ProviderTest } from "~/ai/models/models.schema";
import { testProvider } from "~/ai/models/providers.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/providers/{id}/test",
  tag: "Providers",
  POST: endpoint({
    summary: "Test the connection to a provider",
    description: "Requests its models and reports the result; changes nothing.",
    access: "providers.manage",
    params: z.object({ id: z.string() }),
    response: ProviderTest,
    handle: ({ actor, params }) => testProvider(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
