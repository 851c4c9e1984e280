import { endpoint, resource } from "~/http/resource.server";
import { NotificationCount } from "~/team/notifications/notifications.schema";
import { countUnread } from "~/team/notifications/notifications.service.server";

const route = resource({
  path: "/api/notifications/count",
  tag: "Notifications",
  GET: endpoint({
    summary: "Count your unread notifications",
    access: "notifications.own",
    response: NotificationCount,
    handle: ({ actor }) => ({ unread: countUnread(actor) }),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
