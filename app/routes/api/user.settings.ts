import { endpoint, resource } from "~/http/resource.server";
import { UserSettings, UserSettingsInput } from "~/platform/settings/settings.schema";
import { readUserSettings } from "~/team/members/preferences.service.server";
import { changeSettings } from "~/work/index/rag-settings.service.server";

const route = resource({
  path: "/api/user/settings",
  tag: "Settings",
  GET: endpoint({
    summary: "Get your preferences and the organization's RAG settings",
    access: "screens.read",
    response: UserSettings,
    handle: ({ actor }) => readUserSettings(actor),
  }),
  PUT: endpoint({
    summary: "Change settings",
    description:
      "Changes only the fields sent. The preferred model and theme are your own; the RAG and embedding fields are the organization's and require an admin. Choosing an available embedding provider or reranking model is consent to send it the documents; one added later is offered first.",
    access: "signed-in",
    body: UserSettingsInput,
    response: UserSettings,
    handle: ({ actor, body }) => changeSettings(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
