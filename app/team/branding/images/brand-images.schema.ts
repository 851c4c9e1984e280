import { z } from "zod";

/** Size limit of an uploaded or fetched image. */
export const MAX_IMAGE_BYTES = 512 * 1024;

export const ImageQuery = z.object({ for: z.enum(["logo", "favicon"]).default("logo").catch("logo") });
export type ImageTarget = z.infer<typeof ImageQuery>["for"];

export const IMAGE_UPLOAD = { maxBytes: MAX_IMAGE_BYTES + 10_000, fileBytes: MAX_IMAGE_BYTES + 1, files: 1 };
