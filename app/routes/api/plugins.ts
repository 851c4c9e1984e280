import { Plugin, PluginQuery } from "~/features/plugins/plugins.schema";
import { listPlugins } from "~/features/plugins/plugins.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/plugins",
  tag: "Plugins",
  GET: endpoint({
    summary: "List the marketplace's plugins, featured ones first",
    access: "screens.read",
    query: PluginQuery,
    response: Plugin.array(),
    handle: ({ actor, query }) => listPlugins(actor, query),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
