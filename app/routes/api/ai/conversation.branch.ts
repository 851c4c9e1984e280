import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { branchConversation } from "~/work/chat/branches.service.server";
import { Conversation, MessageTarget } from "~/work/chat/chat.schema";
import { readConversation } from "~/work/chat/conversations.service.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}/branch",
  tag: "Chat",
  POST: endpoint({
    summary: "Copy a conversation up to a message into a new one",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    body: MessageTarget,
    response: Conversation,
    status: 201,
    handle: ({ actor, params, body }) => {
      const id = branchConversation(actor, params.conversation, body.messageId);
      return created(readConversation(actor, id), `/api/ai/conversations/${id}`);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
