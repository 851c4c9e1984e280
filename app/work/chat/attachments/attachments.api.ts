import { z } from "zod";
import { endpoint, endpoints, file, image } from "~/platform/endpoint/endpoint.shared";
import { ATTACHMENT_UPLOAD, Attachment, AttachmentForm, UploadedAttachment } from "./attachments.schema";
import {
  listConversationAttachments,
  listUnsentAttachments,
  openAttachment,
  readAttachment,
  removeAttachment,
  uploadAttachments,
} from "./attachments.service.server";
import { ATTACHMENT_LIMITS, isImage } from "./limits.shared";

const params = z.object({ id: z.string().max(100) });

const { perMessage, fileBytes, imageBytes } = ATTACHMENT_LIMITS;

export const attachmentsApi = endpoints("Chat", [
  endpoint({
    method: "GET",
    path: "/api/ai/conversations/{conversation}/attachments",
    summary: "List a conversation's attachments",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    response: z.array(Attachment),
    handle: ({ actor, params }) => listConversationAttachments(actor, params.conversation),
  }),
  endpoint({
    method: "GET",
    path: "/api/attachments/{id}/content",
    summary: "Get an attachment's content",
    description: "An image with its own media type; any other file as a download.",
    access: "chat.use",
    params: z.object({ id: z.string().max(100) }),
    produces: "application/octet-stream",
    handle: async ({ actor, params }) => {
      const { sha: tag, ...content } = await openAttachment(actor, params.id);
      if (isImage(content)) return image({ ...content, tag });
      return file({ ...content, pieces: [content.bytes] });
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/attachments/{id}",
    summary: "Get an attachment",
    access: "chat.use",
    params,
    response: Attachment,
    handle: ({ actor, params: { id } }) => readAttachment(actor, id),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/attachments/{id}",
    summary: "Delete a file that wasn't sent",
    description: "409 for a sent one: it is deleted with its conversation.",
    access: "chat.use",
    params,
    status: 204,
    handle: ({ actor, params: { id } }) => removeAttachment(actor, id),
  }),
  endpoint({
    method: "GET",
    path: "/api/attachments",
    summary: "List the files you uploaded and haven't sent",
    access: "chat.use",
    response: z.array(Attachment),
    handle: ({ actor }) => listUnsentAttachments(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/attachments",
    summary: "Upload files to send with a message",
    description:
      `A multipart form with up to ${perMessage} files of up to ${fileBytes / 1_000_000} MB, images up to ` +
      `${imageBytes / 1_000_000} MB. Returns each file's attachment or its error, once its text is read. ` +
      "Send the ids as `attachments` of `POST /api/ai/chat`. Unsent files are deleted after a day. " +
      "422 if no file was accepted.",
    access: "chat.use",
    form: AttachmentForm,
    upload: ATTACHMENT_UPLOAD,
    response: z.array(UploadedAttachment),
    status: 201,
    handle: ({ actor, parts, signal }) => uploadAttachments(actor, parts(), signal),
  }),
]);
