import { z } from "zod";
import { Notification, NotificationQuery } from "~/features/notifications/notifications.schema";
import { pageNotifications } from "~/features/notifications/notifications.service.server";
import { endpoint, paged, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/notifications",
  tag: "Notifications",
  GET: endpoint({
    summary: "List your notifications, newest first",
    access: "notifications.own",
    query: NotificationQuery,
    response: z.array(Notification),
    handle: ({ actor, query, request }) => {
      const { notifications, next } = pageNotifications(actor, query);
      return paged(request, notifications, next);
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
