import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { FeedbackInput } from "~/work/chat/chat.schema";
import { rateAnswer } from "~/work/chat/feedback.service.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}/feedback",
  tag: "Chat",
  PUT: endpoint({
    summary: "Rate an answer, or remove the rating",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    body: FeedbackInput,
    status: 204,
    handle: ({ actor, params, body }) => {
      rateAnswer(actor, params.conversation, body);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
