import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { ConversationImport, IMPORT_UPLOAD_LIMITS } from "~/work/chat/transfer/imports.schema";
import { listImports, startImport } from "~/work/chat/transfer/imports.service.server";

const route = resource({
  path: "/api/ai/imports",
  tag: "Chat",
  GET: endpoint({
    summary: "List your imports of conversations, newest first",
    access: "chat.use",
    response: z.array(ConversationImport),
    handle: ({ actor }) => listImports(actor),
  }),
  POST: endpoint({
    summary: "Import conversations from an export of ChatGPT, LibreChat or this console",
    description:
      "A multipart form with one JSON `file` of at most 200 MB. Conversations that an earlier import added are skipped.",
    access: "chat.use",
    form: z.object({ file: z.string().describe("The export") }),
    upload: IMPORT_UPLOAD_LIMITS,
    response: ConversationImport,
    status: 202,
    handle: async ({ actor, parts }) => {
      const started = await startImport(actor, parts());
      return reply(started, { status: 202, headers: { Location: `/api/ai/imports/${started.id}` } });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
