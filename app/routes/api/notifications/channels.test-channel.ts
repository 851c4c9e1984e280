import { endpoint, reply, resource } from "~/http/resource.server";
import { ChannelTest } from "~/team/notifications/deliveries.schema";
import { testChannel } from "~/team/notifications/delivery.service.server";

const route = resource({
  path: "/api/notifications/channels/{channel}/test",
  tag: "Notifications",
  POST: endpoint({
    summary: "Send a test over a channel",
    description: "An email and pushes go to you. The error says why a test was not sent.",
    access: "settings.manage",
    params: ChannelTest,
    status: 204,
    handle: async ({ actor, params }) => {
      await testChannel(actor, params.channel);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
