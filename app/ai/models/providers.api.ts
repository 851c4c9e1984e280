import { z } from "zod";
import { created, endpoint, endpoints, nothing } from "~/platform/endpoint/endpoint.shared";
import { DetectedProvider } from "./catalogue.schema";
import { ProviderMove } from "./model-settings.schema";
import { Provider, ProviderInput, ProviderPatch, ProviderTest } from "./models.schema";
import {
  createProvider,
  deleteProvider,
  listDetectedProviders,
  listProviders,
  moveProvider,
  readProvider,
  refreshModels,
  testProvider,
  updateProvider,
} from "./providers.service.server";

const params = z.object({ id: z.string() });

export const providersApi = endpoints("Providers", [
  endpoint({
    method: "GET",
    path: "/api/offered-providers",
    summary: "List model servers found on this host",
    description: "None is used until you add it with POST /api/providers.",
    access: "providers.manage",
    response: z.array(DetectedProvider),
    handle: ({ actor }) => listDetectedProviders(actor),
  }),
  endpoint({
    method: "GET",
    path: "/api/providers/{id}",
    summary: "Get a provider",
    access: "providers.manage",
    params,
    response: Provider,
    handle: ({ actor, params }) => readProvider(actor, params.id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/providers/{id}",
    summary: "Change a provider",
    description: "Changes only the fields sent; null restores a setting's default.",
    access: "providers.manage",
    params,
    body: ProviderPatch,
    response: Provider,
    handle: ({ actor, params, body }) => updateProvider(actor, params.id, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/providers/{id}",
    summary: "Remove a provider",
    access: "providers.manage",
    params,
    status: 204,
    handle: ({ actor, params }) => {
      deleteProvider(actor, params.id);
      return nothing();
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/providers/{id}/move",
    summary: "Move a provider in the priority order",
    description: "Moves one position up or down and returns the providers in their new order.",
    access: "providers.manage",
    params,
    body: ProviderMove,
    response: z.array(Provider),
    handle: ({ actor, params, body }) => moveProvider(actor, params.id, body.direction),
  }),
  endpoint({
    method: "POST",
    path: "/api/providers/{id}/refresh",
    summary: "Refresh a provider's model list",
    access: "providers.manage",
    params,
    response: Provider,
    handle: ({ actor, params }) => refreshModels(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/providers/{id}/test",
    summary: "Test the connection to a provider",
    description: "Requests its models and reports the result; changes nothing.",
    access: "providers.manage",
    params,
    response: ProviderTest,
    handle: ({ actor, params }) => testProvider(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/providers",
    summary: "List providers by priority",
    access: "providers.manage",
    response: z.array(Provider),
    handle: ({ actor }) => listProviders(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/providers",
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
]);
