import { endpoint, reply, resource } from "~/http/resource.server";
import { NotificationId } from "~/team/notifications/notifications.schema";
import { unsubscribeBrowser } from "~/team/notifications/subscriptions.service.server";

const route = resource({
  path: "/api/notifications/push/{id}",
  tag: "Notifications",
  DELETE: endpoint({
    summary: "Unsubscribe a browser",
    access: "preferences.write",
    params: NotificationId,
    status: 204,
    handle: ({ actor, params }) => {
      unsubscribeBrowser(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
