import { z } from "zod";
import { Conversation } from "~/features/chat/chat.schema";
import { readConversation } from "~/features/chat/conversations.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}",
  tag: "Chat",
  GET: endpoint({
    summary: "A whole conversation, with what a running answer says so far",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    response: Conversation,
    handle: ({ actor, params }) => readConversation(actor, params.conversation),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
