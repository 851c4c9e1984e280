import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { CursorParam } from "~/platform/catalogue/cursor.schema";
import { MessageHit } from "~/work/chat/list/list.schema";
import { searchMessages } from "~/work/chat/list/message-search.service.server";

const route = resource({
  path: "/api/ai/conversations/search",
  tag: "Chat",
  GET: endpoint({
    summary: "Search your messages and their answers, newest first",
    description: "Finds messages that contain every word. Words match by prefix.",
    access: "chat.use",
    query: z.object({
      q: z.string().trim().min(1, "Enter a word").max(200),
      limit: z.coerce.number().int().min(1).max(100).default(20),
      cursor: CursorParam,
    }),
    response: z.array(MessageHit),
    handle: async ({ actor, query, request }) => {
      const { hits, next } = await searchMessages(actor, query);
      return paged(request, hits, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
