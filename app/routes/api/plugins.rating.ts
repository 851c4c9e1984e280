import { endpoint, resource } from "~/http/resource.server";
import { Plugin, PluginId, RatingInput } from "~/work/plugins/plugins.schema";
import { ratePlugin } from "~/work/plugins/plugins.service.server";

const route = resource({
  path: "/api/plugins/{id}/rating",
  tag: "Plugins",
  PUT: endpoint({
    summary: "Rate a plugin",
    access: "plugins.rate",
    params: PluginId,
    body: RatingInput,
    response: Plugin,
    handle: ({ actor, params, body }) => ratePlugin(actor, params.id, body.stars),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
