import { changeSettings } from "~/features/knowledge/rag-settings.service.server";
import { UserSettings, UserSettingsInput } from "~/features/settings/settings.schema";
import { readUserSettings } from "~/features/settings/settings.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/user/settings",
  tag: "Settings",
  GET: endpoint({
    summary: "The person's preferences and the organization's rag settings",
    access: "screens.read",
    response: UserSettings,
    handle: ({ actor }) => readUserSettings(actor),
  }),
  PUT: endpoint({
    summary: "Change settings",
    description:
      "Changes what it names and leaves the rest. The preferred model and the theme are the person's own; the rag and embedding fields are the organization's and take an admin. Choosing an embedding provider or a reranking model that can be called now agrees to sending it the documents; one that is added later is offered first.",
    access: "signed-in",
    body: UserSettingsInput,
    response: UserSettings,
    handle: ({ actor, body }) => changeSettings(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
