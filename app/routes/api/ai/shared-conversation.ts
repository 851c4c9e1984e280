import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { getSharedConversation } from "~/work/chat/shares/shared-conversations.service.server";
import { SharedConversation } from "~/work/chat/shares/shares.schema";

const route = resource({
  path: "/api/ai/shared-conversations/{conversation}",
  tag: "Chat",
  GET: endpoint({
    summary: "Get a conversation that someone shares with you",
    description: "Text only. Messages that may quote documents you can't see are marked as omitted.",
    access: "screens.read",
    params: z.object({ conversation: z.string().max(100) }),
    response: SharedConversation,
    handle: ({ actor, params }) => getSharedConversation(actor, params.conversation),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
