import { z } from "zod";
import { download, showImage } from "~/http/download.server";
import { endpoint, resource } from "~/http/resource.server";
import { openAttachment } from "~/work/chat/attachments/attachments.service.server";
import { isImage } from "~/work/chat/attachments/limits.shared";

const route = resource({
  path: "/api/attachments/{id}/content",
  tag: "Chat",
  GET: endpoint({
    summary: "Get an attachment's content",
    description: "An image with its own media type; any other file as a download.",
    access: "chat.use",
    params: z.object({ id: z.string().max(100) }),
    produces: "application/octet-stream",
    handle: async ({ actor, params, request, context }) => {
      const { sha: tag, ...file } = await openAttachment(actor, params.id);
      if (isImage(file)) return showImage(request, { ...file, tag });
      return download(context, { ...file, pieces: [file.bytes] });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
