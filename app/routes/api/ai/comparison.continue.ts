import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { Conversation } from "~/work/chat/chat.schema";
import { readConversation } from "~/work/chat/conversations.service.server";
import { ContinueInput } from "~/work/comparisons/comparisons.schema";
import { continueInChat } from "~/work/comparisons/comparisons.service.server";

const route = resource({
  path: "/api/ai/comparisons/{comparison}/continue",
  tag: "Comparisons",
  POST: endpoint({
    summary: "Continue one of its answers as a chat conversation",
    description: "The conversation is a copy: the comparison stays as it is.",
    access: "chat.use",
    params: z.object({ comparison: z.string().max(100) }),
    body: ContinueInput,
    response: Conversation,
    status: 201,
    handle: ({ actor, params, body }) => {
      const id = continueInChat(actor, params.comparison, body.conversationId);
      return created(readConversation(actor, id), `/api/ai/conversations/${id}`);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
