import { z } from "zod";
import { ConfiguredModel, ConfiguredQuery } from "~/ai/models/catalogue.schema";
import { listConfiguredModels } from "~/ai/models/configured-models.service.server";
import { ModelQuery, ModelSettings } from "~/ai/models/model-settings.schema";
import { addModel } from "~/ai/models/model-settings.service.server";
import { created, endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/models/managed",
  tag: "Models",
  GET: endpoint({
    summary: "List discovered and added models",
    access: "providers.manage",
    query: ConfiguredQuery,
    response: z.object({ models: z.array(ConfiguredModel) }),
    handle: ({ actor, query }) => ({ models: listConfiguredModels(actor, query) }),
  }),
  POST: endpoint({
    summary: "Add a discovered model",
    description: "Enabled providers of the hub's type offer it from then on.",
    access: "providers.manage",
    body: ModelQuery,
    response: ModelSettings,
    status: 201,
    handle: ({ actor, body }) => {
      const model = addModel(actor, body.id);
      return created(model, `/api/models?id=${encodeURIComponent(model.id)}`);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
