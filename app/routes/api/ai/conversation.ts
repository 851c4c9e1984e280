import { z } from "zod";
import { Conversation, ConversationPatch } from "~/features/chat/chat.schema";
import { readConversation } from "~/features/chat/conversations.service.server";
import { changeSharing } from "~/features/chat/sharing.service.server";
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
  PATCH: endpoint({
    summary: "Allow tools to share what a restricted conversation holds, or withdraw that",
    description:
      "Concerns kv.set, http.request, web.fetch and ingest.queue with an address, from the next call on. 409 while the " +
      "conversation isn't restricted.",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    body: ConversationPatch,
    response: Conversation,
    handle: ({ actor, params, body }) => changeSharing(actor, params.conversation, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
