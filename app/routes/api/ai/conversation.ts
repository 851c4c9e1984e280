import { z } from "zod";
import { Conversation, ConversationPatch } from "~/features/chat/chat.schema";
import { readConversation } from "~/features/chat/conversations.service.server";
import { changeSharing } from "~/features/chat/sharing.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}",
  tag: "Chat",
  GET: endpoint({
    summary: "Get a conversation, including the text of a running answer so far",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    response: Conversation,
    handle: ({ actor, params }) => readConversation(actor, params.conversation),
  }),
  PATCH: endpoint({
    summary: "Allow or stop tools from sharing a restricted conversation's content",
    description:
      "Applies to kv.set, http.request, web.fetch and ingest.queue with an address, from the next call on. 409 if the " +
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
