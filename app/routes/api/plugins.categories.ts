import { endpoint, resource } from "~/http/resource.server";
import { PluginCategory, pluginCategories } from "~/work/plugins/plugins.schema";

const route = resource({
  path: "/api/plugins/categories",
  tag: "Plugins",
  GET: endpoint({
    summary: "List plugin categories",
    access: "screens.read",
    response: PluginCategory.array(),
    handle: () => pluginCategories,
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
