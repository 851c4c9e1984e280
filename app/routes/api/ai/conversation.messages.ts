import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { CursorParam } from "~/platform/catalogue/cursor.schema";
import { ChatMessage } from "~/work/chat/chat.schema";
import { listOwnMessages } from "~/work/chat/conversations.service.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}/messages",
  tag: "Chat",
  GET: endpoint({
    summary: "List the messages of a conversation's active branch, newest first",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: CursorParam,
    }),
    response: z.array(ChatMessage),
    handle: ({ actor, params, query, request }) => {
      const { messages, next } = listOwnMessages(actor, params.conversation, query);
      return paged(request, messages, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
