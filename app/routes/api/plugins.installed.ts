import { endpoint, resource } from "~/http/resource.server";
import { InstalledPlugin } from "~/work/plugins/plugins.schema";
import { listInstalled } from "~/work/plugins/plugins.service.server";

const route = resource({
  path: "/api/plugins/installed",
  tag: "Plugins",
  GET: endpoint({
    summary: "List installed plugins",
    access: "screens.read",
    response: InstalledPlugin.array(),
    handle: ({ actor }) => listInstalled(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
