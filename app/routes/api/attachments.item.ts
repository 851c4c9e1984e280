import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { Attachment } from "~/work/chat/attachments/attachments.schema";
import { readAttachment, removeAttachment } from "~/work/chat/attachments/attachments.service.server";

const params = z.object({ id: z.string().max(100) });

const route = resource({
  path: "/api/attachments/{id}",
  tag: "Chat",
  GET: endpoint({
    summary: "Get an attachment",
    access: "chat.use",
    params,
    response: Attachment,
    handle: ({ actor, params: { id } }) => readAttachment(actor, id),
  }),
  DELETE: endpoint({
    summary: "Delete a file that wasn't sent",
    description: "409 for a sent one: it is deleted with its conversation.",
    access: "chat.use",
    params,
    status: 204,
    handle: ({ actor, params: { id } }) => removeAttachment(actor, id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
