import { endpoint, resource } from "~/http/resource.server";
import { Plugin, PluginQuery } from "~/work/plugins/plugins.schema";
import { listPlugins } from "~/work/plugins/plugins.service.server";

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
