import { UserSettings, UserSettingsInput } from "~/features/settings/settings.schema";
import { readUserSettings, updateUserSettings } from "~/features/settings/settings.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/user/settings",
  tag: "Settings",
  GET: endpoint({
    summary: "The person's preferences and the organisation's rag settings",
    access: "screens.read",
    response: UserSettings,
    handle: ({ actor }) => readUserSettings(actor),
  }),
  PUT: endpoint({
    summary: "Change settings",
    description:
      "Changes what it names and leaves the rest. The preferred model and the theme are the person's own; the rag and embedding fields are the organisation's and take an admin.",
    access: "signed-in",
    body: UserSettingsInput,
    response: UserSettings,
    handle: ({ actor, body }) => updateUserSettings(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
