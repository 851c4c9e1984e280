import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { createFolder, listFolders } from "~/work/chat/list/folders.service.server";
import { ConversationFolder, FolderInput } from "~/work/chat/list/list.schema";

const route = resource({
  path: "/api/ai/folders",
  tag: "Chat",
  GET: endpoint({
    summary: "List your conversation folders",
    access: "chat.use",
    response: z.array(ConversationFolder),
    handle: ({ actor }) => listFolders(actor),
  }),
  POST: endpoint({
    summary: "Create a conversation folder",
    access: "chat.use",
    body: FolderInput,
    response: ConversationFolder,
    status: 201,
    handle: ({ actor, body }) => {
      const folder = createFolder(actor, body);
      return created(folder, `/api/ai/folders/${folder.id}`);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
