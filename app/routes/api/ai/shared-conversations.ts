import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { listSharedConversations } from "~/work/chat/shares/shared-conversations.service.server";
import { SharedQuery, SharedSummary } from "~/work/chat/shares/shares.schema";

const route = resource({
  path: "/api/ai/shared-conversations",
  tag: "Chat",
  GET: endpoint({
    summary: "List conversations that others share with you, last shared first",
    access: "screens.read",
    query: SharedQuery,
    response: z.array(SharedSummary),
    handle: ({ actor, query, request }) => {
      const { conversations, next } = listSharedConversations(actor, query);
      return paged(request, conversations, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
