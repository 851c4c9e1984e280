import { z } from "zod";
import { created, endpoint, endpoints, nothing } from "~/platform/endpoint/endpoint.shared";
import {
  CatalogueModel,
  CatalogueQuery,
  ConfiguredModel,
  ConfiguredQuery,
  DiscoverInput,
  Discovery,
} from "./catalogue.schema";
import { listCatalogue, listConfiguredModels } from "./catalogue.service.server";
import { discoverModels } from "./discovery.service.server";
import {
  CustomModelInput,
  ModelPatch,
  ModelQuery,
  ModelSettings,
  RoutingInput,
  RoutingSettings,
} from "./model-settings.schema";
import {
  addCustomModel,
  addModel,
  readModelSettings,
  readRoutingSettings,
  removeModel,
  saveModel,
  saveRouting,
} from "./model-settings.service.server";
import { Model } from "./models.schema";
import { listModels } from "./models.service.server";

const createdModel = (model: ModelSettings) =>
  created(model, `/api/models?id=${encodeURIComponent(model.id)}`);

export const modelsApi = [
  ...endpoints("Models", [
    endpoint({
      method: "GET",
      path: "/api/ai/catalogue",
      summary: "List the model catalog",
      description:
        "Current models of all vendors with list prices, plus the models of configured providers. `available` is true if a model can be called now.",
      access: "screens.read",
      query: CatalogueQuery,
      response: z.object({ models: z.array(CatalogueModel) }),
      handle: ({ actor, query }) => ({ models: listCatalogue(actor, query) }),
    }),
    endpoint({
      method: "GET",
      path: "/api/ai/models",
      summary: "List available models",
      description: "Each id once, from the first provider that offers it; the built-in model comes last.",
      access: "screens.read",
      response: z.object({ models: z.array(Model) }),
      handle: ({ actor }) => ({ models: listModels(actor) }),
    }),
    endpoint({
      method: "POST",
      path: "/api/models/discover",
      summary: "Discover models on the model hubs",
      description:
        "Lists less than an hour old are reused unless `refresh` is set. If a hub can't be reached, built-in models are returned with a message.",
      access: "providers.manage",
      body: DiscoverInput,
      response: Discovery,
      handle: ({ actor, body }) => discoverModels(actor, body),
    }),
    endpoint({
      method: "GET",
      path: "/api/models/managed",
      summary: "List discovered and added models",
      access: "providers.manage",
      query: ConfiguredQuery,
      response: z.object({ models: z.array(ConfiguredModel) }),
      handle: ({ actor, query }) => ({ models: listConfiguredModels(actor, query) }),
    }),
    endpoint({
      method: "POST",
      path: "/api/models/managed",
      summary: "Add a discovered model",
      description: "Enabled providers of the hub's type offer it from then on.",
      access: "providers.manage",
      body: ModelQuery,
      response: ModelSettings,
      status: 201,
      handle: ({ actor, body }) => createdModel(addModel(actor, body.id)),
    }),
    endpoint({
      method: "GET",
      path: "/api/models",
      summary: "Get a model's settings",
      description: "Send the model's id in the query, since ids can contain slashes.",
      access: "providers.manage",
      query: ModelQuery,
      refusals: [404],
      response: ModelSettings,
      handle: ({ actor, query }) => readModelSettings(actor, query.id),
    }),
    endpoint({
      method: "POST",
      path: "/api/models",
      summary: "Add a custom model",
      description: "Enabled providers of its type offer it from then on.",
      access: "providers.manage",
      body: CustomModelInput,
      response: ModelSettings,
      status: 201,
      handle: ({ actor, body }) => createdModel(addCustomModel(actor, body)),
    }),
    endpoint({
      method: "PATCH",
      path: "/api/models",
      summary: "Change a model",
      description:
        "Its name, price, context length, capabilities, routing, and whether it is hidden or recommended. Changes only the fields sent; null restores the discovered value.",
      access: "providers.manage",
      query: ModelQuery,
      body: ModelPatch,
      response: ModelSettings,
      handle: ({ actor, query, body }) => saveModel(actor, query.id, body),
    }),
    endpoint({
      method: "DELETE",
      path: "/api/models",
      summary: "Remove an added model and its settings",
      access: "providers.manage",
      query: ModelQuery,
      refusals: [404],
      status: 204,
      handle: ({ actor, query }) => {
        removeModel(actor, query.id);
        return nothing();
      },
    }),
  ]),
  ...endpoints("Settings", [
    endpoint({
      method: "GET",
      path: "/api/settings/routing",
      summary: "Get the default routing policy and model",
      access: "providers.manage",
      response: RoutingSettings,
      handle: ({ actor }) => readRoutingSettings(actor),
    }),
    endpoint({
      method: "PUT",
      path: "/api/settings/routing",
      summary: "Change the default routing policy and model",
      access: "providers.manage",
      body: RoutingInput,
      response: RoutingSettings,
      handle: ({ actor, body }) => saveRouting(actor, body),
    }),
  ]),
];
