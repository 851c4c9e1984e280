import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { CursorParam } from "~/platform/catalogue/cursor.schema";
import { ConversationSummary } from "~/work/chat/chat.schema";
import { listOwnConversations } from "~/work/chat/conversations.service.server";

const route = resource({
  path: "/api/ai/conversations",
  tag: "Chat",
  GET: endpoint({
    summary: "List your conversations, last used first",
    access: "chat.use",
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: CursorParam,
      archived: z.stringbool().default(false).describe("Lists the archived ones instead"),
      deleted: z.stringbool().default(false).describe("Lists those deleted within ten minutes instead"),
      folderId: z.string().max(100).optional().describe("Lists one folder's"),
    }),
    response: z.array(ConversationSummary),
    handle: ({ actor, query, request }) => {
      const { conversations, next } = listOwnConversations(actor, query);
      return paged(request, conversations, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
