import { screen } from "~/http/screen.server";
import { ChatQuery } from "~/work/chat/chat.schema";
import { readConversationPage } from "~/work/chat/screen.service.server";

const { loader } = screen({
  access: "chat.use",
  query: ChatQuery,
  load: async ({ actor, params: { conversationId = "" }, query }) => {
    const { conversation, renderings } = await readConversationPage(actor, conversationId, query);
    const { messages, hasEarlier } = conversation;
    return Response.json({ messages, hasEarlier, renderings }, { headers: { "Cache-Control": "no-store" } });
  },
});

export { loader };
