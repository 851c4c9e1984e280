import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { ChannelState } from "~/team/notifications/deliveries.schema";
import { listChannels } from "~/team/notifications/delivery.service.server";

const route = resource({
  path: "/api/notifications/channels",
  tag: "Notifications",
  GET: endpoint({
    summary: "List the channels with any missing configuration",
    access: "settings.manage",
    response: z.array(ChannelState),
    handle: ({ actor }) => listChannels(actor),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
