import { z } from "zod";
import { answerEvents, type Follow } from "~/http/answer-stream.server";
import { endpoint, resource } from "~/http/resource.server";
import { editMessage } from "~/work/chat/branches.service.server";
import { EditRequest } from "~/work/chat/chat.schema";
import { followAnswer } from "~/work/chat/conversations.service.server";

const route = resource({
  path: "/api/ai/chat/{conversation}/edit",
  tag: "Chat",
  POST: endpoint({
    summary: "Change a user's message and stream its answer",
    description: "The message and what followed it are kept as a branch of their own.",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    body: EditRequest,
    produces: "text/event-stream",
    handle: async ({ actor, params, body, context }) => {
      const { conversationId, lastEventId } = await editMessage(actor, params.conversation, body);
      const follow: Follow = (listener) => followAnswer(actor, conversationId, lastEventId, listener);
      return answerEvents({ conversationId, follow }, context);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
