import { endpoint, resource } from "~/http/resource.server";
import {
  NotificationPreferences,
  NotificationPreferencesInput,
} from "~/team/notifications/notifications.schema";
import { readPreferences, savePreferences } from "~/team/notifications/preferences.service.server";

const route = resource({
  path: "/api/notifications/preferences",
  tag: "Notifications",
  GET: endpoint({
    summary: "Get the channels of your events",
    access: "notifications.own",
    response: NotificationPreferences,
    handle: ({ actor }) => readPreferences(actor),
  }),
  PUT: endpoint({
    summary: "Choose the channels of your events",
    access: "preferences.write",
    body: NotificationPreferencesInput,
    response: NotificationPreferences,
    handle: ({ actor, body }) => savePreferences(actor, body),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
