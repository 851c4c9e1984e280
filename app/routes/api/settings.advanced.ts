import { AdvancedInput, AdvancedSettings } from "~/console/settings/advanced.schema";
import { readAdvancedSettings, updateAdvancedSettings } from "~/console/settings/advanced.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/settings/advanced",
  tag: "Settings",
  GET: endpoint({
    summary: "Get the advanced settings",
    access: "settings.manage",
    response: AdvancedSettings,
    handle: ({ actor }) => readAdvancedSettings(actor),
  }),
  PUT: endpoint({
    summary: "Change advanced settings",
    description:
      "Changes only the fields sent, in all groups or in none. Turning off the content security policy or the audit log requires an owner; HTTPS enforcement can only be turned on over HTTPS.",
    access: "settings.manage",
    body: AdvancedInput,
    response: AdvancedSettings,
    handle: ({ actor, body, context }) => updateAdvancedSettings(actor, body, context),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
