import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { ShareInput, Sharing } from "~/work/chat/shares/shares.schema";
import { readSharing, shareConversation } from "~/work/chat/shares/shares.service.server";

const params = z.object({ conversation: z.string().max(100) });

const route = resource({
  path: "/api/ai/conversations/{conversation}/sharing",
  tag: "Chat",
  GET: endpoint({
    summary: "Get a conversation's readers and links",
    access: "chat.use",
    params,
    response: Sharing,
    handle: ({ actor, params: { conversation } }) => readSharing(actor, conversation),
  }),
  PUT: endpoint({
    summary:
      "Share a conversation with members and groups, with everyone in the organization, or with no one",
    description:
      "Readers see the messages up to the last one at this moment, read-only. Messages that may quote documents a reader " +
      "can't see are left out for that reader.",
    access: "chat.use",
    params,
    body: ShareInput,
    response: Sharing,
    handle: ({ actor, params: { conversation }, body }) => shareConversation(actor, conversation, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
