import { parseWith } from "~/core/parse-with";
import { sendAnswer } from "~/http/answer-stream.server";
import { direct, refuseAsProblem } from "~/http/direct.server";
import { parseJson } from "~/http/read-body.server";
import type { Follow } from "~/work/chat/answer-events.shared";
import { ChatRequest } from "~/work/chat/chat.schema";
import { sendMessage } from "~/work/chat/chat.service.server";
import { conversationOfMessage, followAnswer, followBegun } from "~/work/chat/conversations.service.server";

const route = direct({
  path: "/api/ai/chat",
  tag: "Chat",
  refuse: refuseAsProblem,
  acceptsSessions: true,
  POST: {
    summary: "Send a message and stream the answer",
    description:
      "The answer is the AI SDK's UI message stream (v1) as server-sent events, or bare text where `Accept` prefers " +
      "text/plain. `X-Conversation-Id` is the conversation's id. Disconnecting doesn't stop the answer.",
    access: "chat.use",
    body: ChatRequest,
    produces: "text/event-stream",
    handle: async ({ actor, headers, readBody, response, signal }) => {
      const body = parseWith(ChatRequest, await parseJson(new Uint8Array(await readBody())), "body");
      const client = { response, signal, accept: headers.accept };
      // The response to the first request was lost.
      const sentIn = body.messageId && conversationOfMessage(actor, body.messageId);
      if (sentIn) {
        const follow: Follow = (listener) => followAnswer(actor, sentIn, 0, listener);
        return sendAnswer({ conversationId: sentIn, follow }, client);
      }
      const begun = await sendMessage(actor, body);
      const { conversationId } = begun;
      const follow: Follow = (listener) => followBegun(actor, begun, listener);
      sendAnswer({ conversationId, follow }, client);
    },
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
