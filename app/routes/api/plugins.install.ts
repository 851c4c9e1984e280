import { endpoint, reply, resource } from "~/http/resource.server";
import { installAny } from "~/work/plugins/catalog/install-listed.service.server";
import { uninstallPlugin } from "~/work/plugins/install.service.server";
import { InstalledPlugin, PluginId } from "~/work/plugins/plugins.schema";

const route = resource({
  path: "/api/plugins/{id}/install",
  tag: "Plugins",
  POST: endpoint({
    summary: "Install a plugin",
    description:
      "Accepts everything in the plugin's `requests` and records it in the audit log. For an installed plugin, accepts the requests of its current version. A catalog's plugin is installed as an MCP server.",
    access: "plugins.manage",
    params: PluginId,
    response: InstalledPlugin,
    status: 201,
    handle: async ({ actor, params, context }) =>
      reply(await installAny(actor, params.id, context.closed), { status: 201 }),
  }),
  DELETE: endpoint({
    summary: "Uninstall a plugin",
    description: "Its tools are removed immediately. Its settings are kept for 30 days.",
    access: "plugins.manage",
    params: PluginId,
    status: 204,
    handle: ({ actor, params }) => {
      uninstallPlugin(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
