import { exportSettings } from "~/console/settings/export.service.server";
import { SettingsExport } from "~/console/settings/settings-export.schema";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/settings/export",
  tag: "Settings",
  GET: endpoint({
    summary: "Export every settings group with its version",
    access: "settings.manage",
    response: SettingsExport,
    handle: ({ actor }) => exportSettings(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
