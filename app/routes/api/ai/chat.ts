import { ChatRequest } from "~/features/chat/chat.schema";
import { sendMessage } from "~/features/chat/chat.service.server";
import { followAnswer } from "~/features/chat/conversations.service.server";
import { answerEvents, answerText, type Follow, prefersText } from "~/http/answer-stream.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/ai/chat",
  tag: "Chat",
  POST: endpoint({
    summary: "Send a message and stream the answer",
    description:
      "The answer is the AI SDK's UI message stream (v1) as server-sent events, or bare text where `Accept` prefers " +
      "text/plain. `X-Conversation-Id` is the conversation's id. Disconnecting doesn't stop the answer.",
    access: "chat.use",
    body: ChatRequest,
    produces: "text/event-stream",
    handle: async ({ actor, body, request, context }) => {
      const { conversationId, lastEventId } = await sendMessage(actor, body);
      const answer = prefersText(request.headers.get("accept")) ? answerText : answerEvents;
      const follow: Follow = (listener) => followAnswer(actor, conversationId, lastEventId, listener);
      return answer({ conversationId, follow }, context);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
