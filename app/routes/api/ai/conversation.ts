import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { Conversation, ConversationPatch } from "~/work/chat/chat.schema";
import { openConversation } from "~/work/chat/conversations.service.server";
import { changeConversation, deleteConversations } from "~/work/chat/list/changes.service.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}",
  tag: "Chat",
  GET: endpoint({
    summary: "Get a conversation, including the text of a running answer so far",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    response: Conversation,
    handle: ({ actor, params }) => openConversation(actor, params.conversation),
  }),
  PATCH: endpoint({
    summary: "Rename, pin, archive or move a conversation, or let tools share its restricted content",
    description:
      "`sharingAllowed` applies to kv.set, http.request, web.fetch and ingest.queue with an address, from the next " +
      "call on.",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    body: ConversationPatch,
    response: Conversation,
    handle: ({ actor, params, body }) => changeConversation(actor, params.conversation, body),
  }),
  DELETE: endpoint({
    summary: "Delete a conversation",
    description: "It can be restored for ten minutes, then it is removed with its messages.",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    status: 204,
    handle: ({ actor, params }) => {
      deleteConversations(actor, [params.conversation]);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
