import { z } from "zod";
import { branding } from "~/platform/settings/groups/branding.schema";

const Image = z.object({ mediaType: z.string().max(100), base64: z.base64().max(800_000) });

/** Export of a brand with its images. */
export const BrandFile = z.object({
  kind: z.literal("branding"),
  branding: branding.patch,
  images: z.object({ logo: Image.optional(), favicon: Image.optional() }).default({}),
});
export type BrandFile = z.infer<typeof BrandFile>;

/** Upload limits of the import form, in bytes. */
export const BRAND_UPLOAD = { maxBytes: 2_010_000, fileBytes: 2_000_001, files: 1 };
