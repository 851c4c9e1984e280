import { z } from "zod";
import { answerEvents, type Follow } from "~/http/answer-stream.server";
import { endpoint, resource } from "~/http/resource.server";
import { regenerateAnswer } from "~/work/chat/branches.service.server";
import { RegenerateRequest } from "~/work/chat/chat.schema";
import { followAnswer } from "~/work/chat/conversations.service.server";

const route = resource({
  path: "/api/ai/chat/{conversation}/regenerate",
  tag: "Chat",
  POST: endpoint({
    summary: "Generate an answer again",
    description:
      "The answer there is stays as a variant. It is the last one unless `messageId` names another.",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    body: RegenerateRequest,
    produces: "text/event-stream",
    handle: async ({ actor, params, body, context }) => {
      const { conversationId, lastEventId } = await regenerateAnswer(actor, params.conversation, body);
      const follow: Follow = (listener) => followAnswer(actor, conversationId, lastEventId, listener);
      return answerEvents({ conversationId, follow }, context);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
