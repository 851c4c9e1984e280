// Without zod: the composer loads it.

/** Limits of attachments. Sizes in bytes, lengths in characters. */
export const ATTACHMENT_LIMITS = {
  perMessage: 10,
  fileBytes: 10_000_000,
  /** Providers take up to about 10 MB per image, in base64. */
  imageBytes: 7_000_000,
  /** Of an image that the browser can make smaller. */
  imageReadBytes: 50_000_000,
  /** Above this the browser makes an image smaller: some providers take 5 MiB in base64. */
  imageSentBytes: 3_750_000,
  /** Longer side of an image that was made smaller, in pixels. Models scale down what is larger. */
  imageShrunkSide: 2576,
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
  "image/png,image/jpeg,image/webp,image/gif,text/*,.pdf,.docx,.xlsx,.pptx,.md,.csv,.tsv,.json,.jsonl,.yaml,.yml,.toml,.xml,.log,.sql,.sh,.py,.js,.jsx,.ts,.tsx,.go,.rs,.java,.kt,.c,.h,.cpp,.cs,.rb,.php,.swift,.ini";

export const isImage = ({ mediaType }: { mediaType: string }): boolean => mediaType.startsWith("image/");

/** Where an attachment's bytes are served. */
export const attachmentPath = (id: string): string => `/api/attachments/${id}/content`;
