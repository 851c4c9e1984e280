import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { Attachment } from "~/work/chat/attachments/attachments.schema";
import { listConversationAttachments } from "~/work/chat/attachments/attachments.service.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}/attachments",
  tag: "Chat",
  GET: endpoint({
    summary: "List a conversation's attachments",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    response: z.array(Attachment),
    handle: ({ actor, params }) => listConversationAttachments(actor, params.conversation),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
