import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { revokeShareLink } from "~/work/chat/shares/shares.service.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}/links/{link}",
  tag: "Chat",
  DELETE: endpoint({
    summary: "Revoke a read-only link",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100), link: z.string().max(64) }),
    status: 204,
    handle: ({ actor, params: { conversation, link } }) => {
      revokeShareLink(actor, conversation, link);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
