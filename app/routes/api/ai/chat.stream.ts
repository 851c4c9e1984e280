import { z } from "zod";
import { answerEvents, type Follow } from "~/http/answer-stream.server";
import { parseWith } from "~/http/parse.server";
import { endpoint, reply, resource } from "~/http/resource.server";
import { followAnswer, hasEventsAfter } from "~/work/chat/conversations.service.server";

const EventId = z.coerce.number().int().min(0).catch(0);

const route = resource({
  path: "/api/ai/chat/{conversation}/stream",
  tag: "Chat",
  GET: endpoint({
    summary: "Resume a stream after `Last-Event-ID`",
    description:
      "Sends missed events, then new ones. 204 if there are none after that event: the answer is complete " +
      "and stored in the conversation.",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    produces: "text/event-stream",
    handle: ({ actor, params, request, context }) => {
      const header = request.headers.get("last-event-id");
      const afterId = parseWith(EventId, header ?? 0, "Last-Event-ID");
      const { conversation: conversationId } = params;
      if (!hasEventsAfter(actor, conversationId, afterId)) return reply(null, { status: 204 });
      const follow: Follow = (listener) => followAnswer(actor, conversationId, afterId, listener);
      return answerEvents({ conversationId, follow }, context);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
