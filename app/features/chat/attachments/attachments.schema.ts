import { z } from "zod";

/** Limits of attachments. Sizes in bytes, lengths in characters. */
export const ATTACHMENT_LIMITS = {
  perMessage: 10,
  fileBytes: 10_000_000,
  /** Providers take up to about 10 MB per image, in base64. */
  imageBytes: 7_000_000,
  /** Pixels of an image's longer side, and of the whole image. */
  imageSide: 8000,
  imagePixels: 40_000_000,
  /** Of the text that is read from a file. */
  textLength: 1_000_000,
  /** Files that a person has uploaded and not sent. */
  unsent: 50,
} as const;

/** What of a conversation's images goes to a model again: the newest ones, within a request that providers accept. */
export const IMAGES_SENT = { count: 20, bytes: 24_000_000 } as const;

/** An image's share of a model's context, in tokens: about that of a large photo. */
export const IMAGE_TOKENS = 1500;

/** What a file field offers first; a file's content decides. */
export const ACCEPTED_ATTACHMENTS =
  "image/png,image/jpeg,image/webp,image/gif,text/*,.pdf,.docx,.xlsx,.pptx,.md,.csv,.tsv,.json,.jsonl,.yaml,.yml,.toml,.xml,.log,.sql,.sh,.py,.js,.jsx,.ts,.tsx,.go,.rs,.java,.kt,.c,.h,.cpp,.cs,.rb,.php,.swift,.ini,.env";

/** A multipart form with attachments. One file and one byte too many are let through, so that the refusal names them. */
export const ATTACHMENT_UPLOAD = {
  maxBytes: ATTACHMENT_LIMITS.perMessage * ATTACHMENT_LIMITS.fileBytes + 5_000_000,
  fileBytes: ATTACHMENT_LIMITS.fileBytes + 1,
  files: 50,
  /** A message of the form in which files come without JavaScript. */
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

/** A file of a person's message, where it is sent to the model. */
export const AttachmentPart = Attachment.extend({ type: z.literal("attachment") });
export type AttachmentPart = z.infer<typeof AttachmentPart>;

/** Ids of uploaded attachments, as a message names them. */
export const AttachmentIds = z
  .array(z.string().max(100))
  .max(ATTACHMENT_LIMITS.perMessage, `Attach at most ${ATTACHMENT_LIMITS.perMessage} files to a message`);

/** What an upload answers for one file. */
export const UploadedAttachment = z.object({
  name: z.string(),
  attachment: Attachment.nullable(),
  error: z.string().nullable().describe("Why the file was refused"),
});
export type UploadedAttachment = z.infer<typeof UploadedAttachment>;

/** A multipart form of `POST /api/attachments`, for the API's readers. */
export const AttachmentForm = z.object({
  files: z
    .array(z.string().meta({ format: "binary" }))
    .describe(
      `Up to ${ATTACHMENT_LIMITS.perMessage} files of up to ${ATTACHMENT_LIMITS.fileBytes / 1_000_000} MB`,
    ),
});

export const isImage = ({ mediaType }: Pick<Attachment, "mediaType">): boolean =>
  mediaType.startsWith("image/");

/** Where an attachment's bytes are served. */
export const attachmentPath = (id: string): string => `/api/attachments/${id}/content`;
