import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { Conversation } from "~/work/chat/chat.schema";
import { restoreConversation } from "~/work/chat/list/changes.service.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}/restore",
  tag: "Chat",
  POST: endpoint({
    summary: "Restore a deleted conversation",
    description: "410 once it was deleted more than ten minutes ago.",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    response: Conversation,
    handle: ({ actor, params }) => restoreConversation(actor, params.conversation),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
