import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { stopAnswer } from "~/work/chat/chat.service.server";

const route = resource({
  path: "/api/ai/chat/{conversation}/stop",
  tag: "Chat",
  POST: endpoint({
    summary: "Stop the running answer, also at the provider",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    status: 204,
    handle: async ({ actor, params }) => {
      await stopAnswer(actor, params.conversation);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
