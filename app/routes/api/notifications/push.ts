import { created, endpoint, resource } from "~/http/resource.server";
import { PushSettings, PushSubscriptionInput } from "~/team/notifications/notifications.schema";
import { readPushSettings, subscribeBrowser } from "~/team/notifications/subscriptions.service.server";

const route = resource({
  path: "/api/notifications/push",
  tag: "Notifications",
  GET: endpoint({
    summary: "Get the push key and your subscribed browsers",
    access: "notifications.own",
    response: PushSettings,
    handle: ({ actor }) => readPushSettings(actor),
  }),
  POST: endpoint({
    summary: "Subscribe a browser to your pushes",
    access: "preferences.write",
    body: PushSubscriptionInput,
    response: PushSettings,
    status: 201,
    handle: ({ actor, body, request }) =>
      created(subscribeBrowser(actor, body, request.headers.get("user-agent")), "/api/notifications/push"),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
