// Without zod: the composer loads it.

/** Limits of attachments. Sizes in bytes, lengths in characters. */
export const ATTACHMENT_LIMITS = {
  perMessage: 10,
  fileBytes: 10_000_000,
  imageBytes: 7_000_000,
  /** For an image that the browser can shrink. */
  imageReadBytes: 50_000_000,
  /** Above this the browser shrinks an image: some providers take 5 MiB in base64. */
  imageSentBytes: 3_750_000,
  /** Longer side of a shrunk image, in pixels. Models scale down larger ones. */
  imageShrunkSide: 2576,
  /** Longer side and total, in pixels. */
  imageSide: 8000,
  imagePixels: 40_000_000,
  textLength: 1_000_000,
  /** Uploaded and unsent files per person. */
  unsent: 50,
  unsentBytes: 200_000_000,
} as const;

/** Images per request, newest first, within what providers accept. */
export const IMAGES_SENT = { count: 20, bytes: 24_000_000 } as const;

/** Estimated tokens of an image, about those of a large photo. */
export const IMAGE_TOKENS = 1500;

export const ACCEPTED_ATTACHMENTS =
  "image/png,image/jpeg,image/webp,image/gif,audio/*,text/*,.pdf,.docx,.xlsx,.pptx,.md,.csv,.tsv,.json,.jsonl,.yaml,.yml,.toml,.xml,.log,.sql,.sh,.py,.js,.jsx,.ts,.tsx,.go,.rs,.java,.kt,.c,.h,.cpp,.cs,.rb,.php,.swift,.ini";

export const isRecording = ({ mediaType }: { mediaType: string }): boolean => mediaType.startsWith("audio/");

export const isImage = ({ mediaType }: { mediaType: string }): boolean => mediaType.startsWith("image/");

export const attachmentPath = (id: string): string => `/api/attachments/${id}/content`;

export const TOO_MANY_FILES = `Attach at most ${ATTACHMENT_LIMITS.perMessage} files to a message.`;

const MAX_BYTES = {
  file: ATTACHMENT_LIMITS.fileBytes,
  image: ATTACHMENT_LIMITS.imageBytes,
  "shrinkable image": ATTACHMENT_LIMITS.imageReadBytes,
};

/** Why a file is refused for its size; the browser shrinks some images first. */
export function sizeRefusal(size: number, kind: keyof typeof MAX_BYTES): string | undefined {
  if (size === 0) return "The file is empty. Choose another file.";
  const max = MAX_BYTES[kind];
  if (size <= max) return undefined;
  return `This ${kind === "file" ? "file" : "image"} is larger than ${max / 1_000_000} MB. Use a smaller one.`;
}
