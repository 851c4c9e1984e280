import { CustomModelInput, ModelPatch, ModelQuery, ModelSettings } from "~/ai/models/model-settings.schema";
import {
  addCustomModel,
  readModelSettings,
  removeModel,
  saveModel,
} from "~/ai/models/model-settings.service.server";
import { created, endpoint, reply, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/models",
  tag: "Models",
  GET: endpoint({
    summary: "Get a model's settings",
    description: "Send the model's id in the query, since ids can contain slashes.",
    access: "providers.manage",
    query: ModelQuery,
    response: ModelSettings,
    handle: ({ actor, query }) => readModelSettings(actor, query.id),
  }),
  POST: endpoint({
    summary: "Add a custom model",
    description: "Enabled providers of its type offer it from then on.",
    access: "providers.manage",
    body: CustomModelInput,
    response: ModelSettings,
    status: 201,
    handle: ({ actor, body }) => {
      const model = addCustomModel(actor, body);
      return created(model, `/api/models?id=${encodeURIComponent(model.id)}`);
    },
  }),
  PATCH: endpoint({
    summary: "Change a model",
    description:
      "Its name, price, context length, capabilities, routing, and whether it is hidden or recommended. Changes only the fields sent; null restores the discovered value.",
    access: "providers.manage",
    query: ModelQuery,
    body: ModelPatch,
    response: ModelSettings,
    handle: ({ actor, query, body }) => saveModel(actor, query.id, body),
  }),
  DELETE: endpoint({
    summary: "Remove an added model and its settings",
    access: "providers.manage",
    query: ModelQuery,
    status: 204,
    handle: ({ actor, query }) => {
      removeModel(actor, query.id);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
