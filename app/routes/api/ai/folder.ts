import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { deleteFolder, renameFolder } from "~/work/chat/list/folders.service.server";
import { ConversationFolder, FolderInput } from "~/work/chat/list/list.schema";

const params = z.object({ folder: z.string().max(100) });

const route = resource({
  path: "/api/ai/folders/{folder}",
  tag: "Chat",
  PATCH: endpoint({
    summary: "Rename a conversation folder",
    access: "chat.use",
    params,
    body: FolderInput,
    response: ConversationFolder,
    handle: ({ actor, params, body }) => renameFolder(actor, params.folder, body),
  }),
  DELETE: endpoint({
    summary: "Delete a conversation folder; its conversations stay",
    access: "chat.use",
    params,
    status: 204,
    handle: ({ actor, params }) => {
      deleteFolder(actor, params.folder);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
