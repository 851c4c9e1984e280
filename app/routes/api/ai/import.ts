import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { ConversationImport } from "~/work/chat/transfer/imports.schema";
import { readImport } from "~/work/chat/transfer/imports.service.server";

const route = resource({
  path: "/api/ai/imports/{id}",
  tag: "Chat",
  GET: endpoint({
    summary: "Get an import with its added and skipped conversations",
    access: "chat.use",
    params: z.object({ id: z.string().max(64) }),
    response: ConversationImport,
    handle: ({ actor, params }) => readImport(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
