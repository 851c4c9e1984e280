import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { Notification, NotificationQuery } from "~/team/notifications/notifications.schema";
import { pageNotifications } from "~/team/notifications/notifications.service.server";

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
