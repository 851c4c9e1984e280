import { z } from "zod";
import { downloadStream } from "~/http/download.server";
import { endpoint, resource } from "~/http/resource.server";
import { ExportQuery } from "~/work/chat/transfer/export.schema";
import { exportConversation } from "~/work/chat/transfer/export.service.server";

const route = resource({
  path: "/api/ai/conversations/{conversation}/export",
  tag: "Chat",
  GET: endpoint({
    summary: "Export a conversation as Markdown, JSON or HTML",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    query: ExportQuery,
    produces: "text/markdown",
    handle: ({ actor, params, query, context }) =>
      downloadStream(
        context,
        exportConversation(actor, params.conversation, { ...query, origin: context.origin }),
      ),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
