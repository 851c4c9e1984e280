import { z } from "zod";
import { selectVariant } from "~/features/chat/branches.service.server";
import { Conversation, MessageTarget } from "~/features/chat/chat.schema";
import { readConversation } from "~/features/chat/conversations.service.server";
import { endpoint, resource } from "~/http/resource.server";

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
