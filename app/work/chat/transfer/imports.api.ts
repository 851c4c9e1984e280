import { z } from "zod";
import { accepted, endpoint, endpoints, textFile } from "~/platform/endpoint/endpoint.shared";
import { exportConversation } from "./export.service.server";
import { ConversationImport, ExportQuery, IMPORT_UPLOAD_LIMITS } from "./imports.schema";
import { cancelImport, listImports, readImport, startImport } from "./imports.service.server";

const params = z.object({ id: z.string().max(64) });

export const importsApi = endpoints("Chat", [
  endpoint({
    method: "GET",
    path: "/api/ai/conversations/{conversation}/export",
    summary: "Export a conversation as Markdown, JSON or HTML",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    query: ExportQuery,
    produces: ["text/markdown", "application/json", "text/html"],
    handle: ({ actor, params, query, origin }) =>
      textFile(exportConversation(actor, params.conversation, { ...query, origin })),
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/imports/{id}/cancel",
    summary: "Cancel a running import; conversations imported so far are kept",
    access: "chat.use",
    params,
    response: ConversationImport,
    handle: ({ actor, params }) => cancelImport(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/imports/{id}",
    summary: "Get an import with its added and skipped conversations",
    access: "chat.use",
    params,
    response: ConversationImport,
    handle: ({ actor, params }) => readImport(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/imports",
    summary: "List your imports of conversations, newest first",
    access: "chat.use",
    response: z.array(ConversationImport),
    handle: ({ actor }) => listImports(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/imports",
    summary: "Import conversations from an export of another chat or this console",
    description:
      "A multipart form with one `file` of at most 2 GB: JSON, or a ZIP archive with it, of ChatGPT, Claude, Open WebUI, LobeChat, LibreChat or this console. Conversations that an earlier import added are skipped.",
    access: "chat.use",
    form: z.object({ file: z.string().describe("The export") }),
    upload: IMPORT_UPLOAD_LIMITS,
    response: ConversationImport,
    status: 202,
    handle: async ({ actor, parts }) => {
      const started = await startImport(actor, parts());
      return accepted(started, `/api/ai/imports/${started.id}`);
    },
  }),
]);
