import { RoutingInput, RoutingSettings } from "~/ai/models/model-settings.schema";
import { readRoutingSettings, saveRouting } from "~/ai/models/model-settings.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/settings/routing",
  tag: "Settings",
  GET: endpoint({
    summary: "Get the default routing policy and model",
    access: "providers.manage",
    response: RoutingSettings,
    handle: ({ actor }) => readRoutingSettings(actor),
  }),
  PUT: endpoint({
    summary: "Change the default routing policy and model",
    access: "providers.manage",
    body: RoutingInput,
    response: RoutingSettings,
    handle: ({ actor, body }) => saveRouting(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
