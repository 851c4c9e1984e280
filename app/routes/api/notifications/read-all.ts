import { endpoint, reply, resource } from "~/http/resource.server";
import { markAllRead } from "~/team/notifications/notifications.service.server";

const route = resource({
  path: "/api/notifications/read-all",
  tag: "Notifications",
  POST: endpoint({
    summary: "Mark all your notifications as read",
    access: "notifications.own",
    status: 204,
    handle: ({ actor }) => {
      markAllRead(actor);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
