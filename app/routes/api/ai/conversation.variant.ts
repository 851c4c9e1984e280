import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { selectVariant } from "~/work/chat/branches.service.server";
import { Conversation, MessageTarget } from "~/work/chat/chat.schema";
import { readConversation } from "~/work/chat/conversations.service.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}/variant",
  tag: "Chat",
  POST: endpoint({
    summary: "Make the branch of a message the active one",
    description:
      "`variants` of a message names its other versions. The active branch is shown, sent to models and continued " +
      "by further messages. 409 while an answer is being written.",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    body: MessageTarget,
    response: Conversation,
    handle: ({ actor, params, body }) => {
      selectVariant(actor, params.conversation, body.messageId);
      return readConversation(actor, params.conversation);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
