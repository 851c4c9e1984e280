import { endpoint, resource } from "~/http/resource.server";
import { configurePlugin, readConfig } from "~/work/plugins/install.service.server";
import {
  InstalledPlugin,
  PluginConfig,
  PluginConfigInput,
  PluginIdParam,
} from "~/work/plugins/plugins.schema";

const route = resource({
  path: "/api/plugins/{pluginId}/config",
  tag: "Plugins",
  GET: endpoint({
    summary: "Get an installed plugin's settings",
    access: "plugins.manage",
    params: PluginIdParam,
    response: PluginConfig,
    handle: ({ actor, params }) => readConfig(actor, params.pluginId),
  }),
  PATCH: endpoint({
    summary: "Enable, disable or configure an installed plugin",
    access: "plugins.manage",
    params: PluginIdParam,
    body: PluginConfigInput,
    response: InstalledPlugin,
    handle: ({ actor, params, body }) => configurePlugin(actor, params.pluginId, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
