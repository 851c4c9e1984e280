import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { Delivery } from "~/team/notifications/deliveries.schema";
import { listDeliveries } from "~/team/notifications/delivery.service.server";

const route = resource({
  path: "/api/notifications/deliveries",
  tag: "Notifications",
  GET: endpoint({
    summary: "List the last deliveries",
    access: "settings.manage",
    response: z.array(Delivery),
    handle: ({ actor }) => listDeliveries(actor),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
