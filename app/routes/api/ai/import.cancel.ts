import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { ConversationImport } from "~/work/chat/transfer/imports.schema";
import { cancelImport } from "~/work/chat/transfer/imports.service.server";

const route = resource({
  path: "/api/ai/imports/{id}/cancel",
  tag: "Chat",
  POST: endpoint({
    summary: "Cancel a running import; conversations imported so far are kept",
    access: "chat.use",
    params: z.object({ id: z.string().max(64) }),
    response: ConversationImport,
    handle: ({ actor, params }) => cancelImport(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
