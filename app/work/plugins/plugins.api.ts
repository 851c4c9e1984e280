import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { PLUGIN_CATEGORIES } from "./categories.shared";
import { configurePlugin, readConfig, uninstallPlugin } from "./install.service.server";
import { installAny } from "./install-any.server";
import {
  InstalledPlugin,
  Plugin,
  PluginCategory,
  PluginConfig,
  PluginConfigInput,
  PluginId,
  PluginIdParam,
  PluginQuery,
  RatingInput,
} from "./plugins.schema";
import { listInstalled, listPlugins, ratePlugin } from "./plugins.service.server";

export const pluginsApi = endpoints("Plugins", [
  endpoint({
    method: "GET",
    path: "/api/plugins/categories",
    summary: "List plugin categories",
    access: "screens.read",
    response: PluginCategory.array(),
    handle: () => PLUGIN_CATEGORIES,
  }),
  endpoint({
    method: "GET",
    path: "/api/plugins/{pluginId}/config",
    summary: "Get an installed plugin's settings",
    access: "plugins.manage",
    params: PluginIdParam,
    response: PluginConfig,
    handle: ({ actor, params }) => readConfig(actor, params.pluginId),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/plugins/{pluginId}/config",
    summary: "Enable, disable or configure an installed plugin",
    access: "plugins.manage",
    params: PluginIdParam,
    body: PluginConfigInput,
    response: InstalledPlugin,
    handle: ({ actor, params, body }) => configurePlugin(actor, params.pluginId, body),
  }),
  endpoint({
    method: "POST",
    path: "/api/plugins/{id}/install",
    summary: "Install a plugin",
    description:
      "Accepts everything in the plugin's `requests` and records it in the audit log. For an installed plugin, accepts the requests of its current version. A catalog's plugin is installed as an MCP server.",
    access: "plugins.manage",
    params: PluginId,
    response: InstalledPlugin,
    status: 201,
    handle: ({ actor, params, signal }) => installAny(actor, params.id, signal),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/plugins/{id}/install",
    summary: "Uninstall a plugin",
    description: "Its tools are removed immediately. Its settings are kept for 30 days.",
    access: "plugins.manage",
    params: PluginId,
    status: 204,
    handle: ({ actor, params }) => uninstallPlugin(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/plugins/installed",
    summary: "List installed plugins",
    access: "screens.read",
    response: InstalledPlugin.array(),
    handle: ({ actor }) => listInstalled(actor),
  }),
  endpoint({
    method: "PUT",
    path: "/api/plugins/{id}/rating",
    summary: "Rate a plugin",
    access: "plugins.rate",
    params: PluginId,
    body: RatingInput,
    response: Plugin,
    handle: ({ actor, params, body }) => ratePlugin(actor, params.id, body.stars),
  }),
  endpoint({
    method: "GET",
    path: "/api/plugins",
    summary: "List the marketplace's plugins, featured ones first",
    access: "screens.read",
    query: PluginQuery,
    response: Plugin.array(),
    handle: ({ actor, query }) => listPlugins(actor, query),
  }),
]);
