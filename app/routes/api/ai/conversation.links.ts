import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { LinkInput, NewShareLink } from "~/work/chat/shares/shares.schema";
import { createShareLink } from "~/work/chat/shares/shares.service.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}/links",
  tag: "Chat",
  POST: endpoint({
    summary: "Create a read-only link to a conversation",
    description:
      "Anyone with the link can read the conversation up to now, without messages that may quote restricted documents. " +
      "403 unless an admin allows links.",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    body: LinkInput,
    response: NewShareLink,
    status: 201,
    handle: ({ actor, params: { conversation }, body, context }) => {
      const { link, secret } = createShareLink(actor, conversation, body);
      return created(
        { ...link, url: `${context.origin}/shared/${secret}` },
        `/api/ai/conversations/${conversation}/links/${link.id}`,
      );
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
