import { endpoint, resource } from "~/http/resource.server";
import { Notification, NotificationChange, NotificationId } from "~/team/notifications/notifications.schema";
import { markNotification } from "~/team/notifications/notifications.service.server";

const route = resource({
  path: "/api/notifications/{id}",
  tag: "Notifications",
  PATCH: endpoint({
    summary: "Mark a notification as read or unread",
    access: "notifications.own",
    params: NotificationId,
    body: NotificationChange,
    response: Notification,
    handle: ({ actor, params, body }) => markNotification(actor, params.id, body.read),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
