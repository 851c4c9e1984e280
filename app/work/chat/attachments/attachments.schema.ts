import { z } from "zod";
import { ATTACHMENT_LIMITS, TOO_MANY_FILES } from "./limits.shared";

/** Allows one file and one byte too many, so that the refusal can name them. */
export const ATTACHMENT_UPLOAD = {
  maxBytes: ATTACHMENT_LIMITS.perMessage * ATTACHMENT_LIMITS.fileBytes + 5_000_000,
  fileBytes: ATTACHMENT_LIMITS.fileBytes + 1,
  files: 50,
  fieldBytes: 1_000_000,
};

export const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  mediaType: z.string().describe("Found in the content"),
  size: z.number().int().describe("In bytes"),
  tokens: z.number().int().describe("Estimated share of a model's context"),
  width: z.number().int().optional().describe("Of an image, in pixels"),
  height: z.number().int().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

export const AttachmentPart = Attachment.extend({ type: z.literal("attachment") });
export type AttachmentPart = z.infer<typeof AttachmentPart>;

export const AttachmentIds = z.array(z.string().max(100)).max(ATTACHMENT_LIMITS.perMessage, TOO_MANY_FILES);

export const UploadedAttachment = z.object({
  name: z.string(),
  attachment: Attachment.nullable(),
  error: z.string().nullable().describe("Why the file was refused"),
});
export type UploadedAttachment = z.infer<typeof UploadedAttachment>;

export const AttachmentForm = z.object({
  files: z
    .array(z.string().meta({ format: "binary" }))
    .describe(
      `Up to ${ATTACHMENT_LIMITS.perMessage} files of up to ${ATTACHMENT_LIMITS.fileBytes / 1_000_000} MB`,
    ),
});
