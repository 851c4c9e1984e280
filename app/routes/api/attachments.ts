import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import {
  ATTACHMENT_UPLOAD,
  Attachment,
  AttachmentForm,
  UploadedAttachment,
} from "~/work/chat/attachments/attachments.schema";
import { listUnsentAttachments, uploadAttachments } from "~/work/chat/attachments/attachments.service.server";
import { ATTACHMENT_LIMITS } from "~/work/chat/attachments/limits.shared";

const { perMessage, fileBytes, imageBytes } = ATTACHMENT_LIMITS;

const route = resource({
  path: "/api/attachments",
  tag: "Chat",
  GET: endpoint({
    summary: "List the files you uploaded and haven't sent",
    access: "chat.use",
    response: z.array(Attachment),
    handle: ({ actor }) => listUnsentAttachments(actor),
  }),
  POST: endpoint({
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
    handle: ({ actor, parts, context }) => uploadAttachments(actor, parts(), context.closed),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
