import { exportSettings } from "~/features/settings/export.service.server";
import { SettingsExport } from "~/features/settings/settings-export.schema";
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
